#include "lanes/search/find.h"

#include "lanes/testing/find_check.h"

namespace lanewise::lanes {
namespace {

class FindLiteral : public FindCheck {
 protected:
  void check(const std::vector<std::string>& texts, std::string_view literal) {
    const LiteralFinder finder(GetParam(), literal);
    const auto holds = [&](std::string_view text) { return text.find(literal) != std::string_view::npos; };
    FindCheck::check(finder, texts, literal.empty() ? '\0' : literal.back(), holds);
    if (!HasFatalFailure() && !literal.empty() && literal.find('\n') == literal.npos)
      check_lines(finder, texts, holds);
  }
};

TEST_P(FindLiteral, RandomTexts) {
  for (const size_t rows : {0, 1, 2, 63, 64, 65, 130, 1000}) {
    for (int letters : {1, 2, 3, 20}) {
      const auto texts = random_texts(rows, letters);
      for (size_t size : {0, 1, 2, 3, 5, 8, 9, 17, 70}) {
        std::string literal(size, 'a');
        for (char& c : literal) c = char('a' + random_() % letters);
        check(texts, literal);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(FindLiteral, NoMatchCrossesRows) {
  check({"xxab", "cdxx", "abc", "d", "abcd", "", "a", "bcd", "zabcd", "abcdz"}, "abcd");
  check({"a", "", "", "b", "ab"}, "ab");
  check({"a", "a"}, "aa");
}

TEST_P(FindLiteral, AtEveryPlace) {
  for (size_t size : {1, 2, 7, 64, 65}) {
    std::vector<std::string> texts;
    const std::string literal = std::string(size - 1, 'n') + 'Z';
    for (size_t at = 0; at < 300; at++)
      texts.push_back(std::string(at, '.') + literal + std::string(at % 3, '.'));
    check(texts, literal);
  }
}

TEST_P(FindLiteral, HugeRowsAmongSmallOnes) {
  std::vector<std::string> texts(200, "small");
  texts[7] = std::string(1 << 20, 'h') + "needle";
  texts[8] = "needle" + std::string(1 << 20, 'n');
  texts[150] = std::string(1 << 20, 'e');
  for (const char* literal : {"needle", "l", "e", "ee", "hh"}) check(texts, literal);
}

TEST_P(FindLiteral, AnyBytes) {
  std::vector<std::string> texts(500);
  for (std::string& text : texts) {
    text.resize(random_() % 50);
    for (char& c : text) c = char(random_());
  }
  check(texts, std::string("\0", 1));
  check(texts, std::string("\xff"));
  check(texts, texts[100].substr(0, 3));
}

TEST_P(FindLiteral, FarIntoTheText) {
  std::vector<std::string> texts(5000, "0123456789");
  texts[4000] = texts[4999] = "01234x6789";
  check(texts, "x");
  check(texts, "4x6");
}

INSTANTIATE_TEST_SUITE_P(All, FindLiteral, ::testing::ValuesIn(kTargets),
                         [](const auto& each) { return std::string(name(each.param)); });

}  // namespace
}  // namespace lanewise::lanes
