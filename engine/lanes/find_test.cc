#include "lanes/find.h"

#include <gtest/gtest.h>

#include <random>

#include "lanes/testing/guarded.h"

namespace lanewise::lanes {
namespace {

class FindLiteral : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << name(GetParam()) << " is not supported here";
  }

  /// Compares with a search in each row alone: both offset widths, with and without active rows.
  void check(const std::vector<std::string>& texts, std::string_view literal) {
    std::string flat;
    Guarded<u32> offsets32(texts.size() + 1);
    Guarded<u64> offsets64(texts.size() + 1);
    for (size_t i = 0; i < texts.size(); i++) {
      flat += texts[i];
      offsets64[i + 1] = offsets32[i + 1] = u32(flat.size());
    }
    Guarded<u8> bytes(flat.size() + 64);
    std::copy(flat.begin(), flat.end(), bytes.data());
    Guarded<u8> lines(flat.size() + texts.size() + 64);
    Guarded<u32> line_offsets(texts.size() + 1);
    for (size_t i = 0; i < texts.size(); i++) {
      const u8* end = std::copy(texts[i].begin(), texts[i].end(), lines.data() + line_offsets[i]);
      lines[size_t(end - lines.data())] = literal.empty() ? 0 : u8(literal.back());  // belongs to no row
      line_offsets[i + 1] = u32(end + 1 - lines.data());
    }
    const size_t words = (texts.size() + 63) / 64;
    for (int share : {-1, 0, 2, 5, 50, 97}) {
      Guarded<u64> active(words), hits(words);
      std::vector<u64> expected(words);
      for (size_t i = 0; i < texts.size(); i++) {
        const bool is_active = share < 0 || int(random_() % 100) < share;
        active[i / 64] |= u64(is_active) << i % 64;
        expected[i / 64] |= u64(is_active && texts[i].find(literal) != std::string::npos) << i % 64;
      }
      const LiteralFinder finder(GetParam(), literal);
      const u64* rows = share < 0 ? nullptr : active.data();
      const Target ran = GetParam() == Target::interleaved ? Target::scalar : GetParam();
      const Target claims = literal.empty() ? GetParam() : ran;
      for (size_t w = 0; w < words; w++) hits[w] = random_();
      ASSERT_EQ(finder.match(Rows(bytes.data(), offsets32.data(), texts.size()), rows, hits.data()), claims);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()))
          << literal << " rows " << texts.size();
      ASSERT_EQ(finder.match(Rows(lines.data(), line_offsets.data(), texts.size(), 1), rows, hits.data()),
                claims);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()))
          << literal << " lines " << texts.size();
      ASSERT_EQ(finder.match(Rows(bytes.data(), offsets64.data(), texts.size()), rows, hits.data()), claims);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()))
          << literal << " rows " << texts.size();
      if (!rows) continue;
      std::copy_n(active.data(), words, hits.data());  // in place
      finder.match(Rows(bytes.data(), offsets32.data(), texts.size()), hits.data(), hits.data());
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), hits.data()));
    }
  }

  std::mt19937 random_{5};
};

TEST_P(FindLiteral, RandomTexts) {
  for (const size_t rows : {0, 1, 2, 63, 64, 65, 130, 1000}) {
    for (int letters : {1, 2, 3, 20}) {
      std::vector<std::string> texts(rows);
      for (std::string& text : texts) {
        const size_t edges[] = {0, 0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128};
        text.resize(edges[random_() % std::size(edges)]);
        for (char& c : text) c = char('a' + random_() % letters);
      }
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

/// Lines of a text, by std::string alone.
TEST_P(FindLiteral, Lines) {
  for (int round = 0; round < 300; round++) {
    std::string text;
    std::vector<Line> all;
    for (int i = int(random_() % 40); i > 0; i--) {
      const u32 begin = u32(text.size());
      text.append(random_() % 8 ? random_() % 10 : random_() % 200, ' ');
      for (size_t k = begin; k < text.size(); k++) text[k] = char('a' + random_() % 3);
      text += '\n';
      all.push_back({begin, u32(text.size())});
    }
    Guarded<u8> bytes(text.size() + 64);
    std::copy(text.begin(), text.end(), bytes.data());
    std::string literal(1 + random_() % 4, 'a');
    for (char& c : literal) c = char('a' + random_() % 3);
    std::vector<Line> expected, found;
    for (const Line& line : all) {
      if (text.substr(line.begin, line.end - line.begin).find(literal) != std::string::npos)
        expected.push_back(line);
    }
    const Target ran = GetParam() == Target::interleaved ? Target::scalar : GetParam();
    EXPECT_EQ(LiteralFinder(GetParam(), literal).match_lines(bytes.data(), text.size(), found), ran);
    ASSERT_EQ(found, expected) << literal << " in " << text;
  }
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
  check(texts, "needle");
  check(texts, "l");
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
