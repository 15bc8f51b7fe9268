#include "lanes/search/find_set.h"

#include "lanes/testing/find_check.h"

namespace lanewise::lanes {
namespace {

Sequence sequence(const std::vector<std::string>& places) {
  Sequence made;
  for (const std::string& place : places) {
    made.emplace_back();
    for (char c : place) made.back().set(u8(c));
  }
  return made;
}

Sequence literal(const std::string& text) {
  Sequence made;
  for (char c : text) made.emplace_back().set(u8(c));
  return made;
}

bool stands_at(const Sequence& sequence, std::string_view text) {
  if (text.size() < sequence.size()) return false;
  for (size_t i = 0; i < sequence.size(); i++) {
    if (!sequence[i][u8(text[i])]) return false;
  }
  return true;
}

bool contains(const std::vector<Sequence>& sequences, std::string_view text) {
  for (size_t at = 0; at < text.size(); at++) {
    for (const Sequence& one : sequences) {
      if (stands_at(one, text.substr(at))) return true;
    }
  }
  return false;
}

class FindSet : public FindCheck {
 protected:
  void check(const std::vector<std::string>& texts, const std::vector<Sequence>& sequences) {
    const SequenceFinder finder(GetParam(), sequences);
    const auto holds = [&](std::string_view text) { return contains(sequences, text); };
    const Sequence& first = sequences[0];
    FindCheck::check(finder, texts, char(first.back()._Find_first()), holds);
    if (HasFatalFailure()) return;
    for (const std::string& text : texts) {
      ASSERT_EQ(finder.in(reinterpret_cast<const u8*>(text.data()), text.size()), holds(text)) << text;
    }
    for (const Sequence& one : sequences) {
      for (const auto& place : one) {
        if (place['\n']) return;
      }
    }
    check_lines(finder, texts, holds);
  }

  Sequence random_sequence(size_t size, int letters) {
    Sequence made(size);
    for (auto& place : made) {
      for (size_t bytes = 1 + random_() % 2; bytes > 0; bytes--) place.set('a' + random_() % letters);
    }
    return made;
  }
};

TEST_P(FindSet, RandomTexts) {
  for (size_t rows : {0, 1, 2, 63, 64, 65, 130, 700}) {
    for (int letters : {2, 6, 20}) {
      const auto texts = random_texts(rows, letters);
      for (size_t count : {1, 2, 7, 8, 9, 33, 64}) {
        std::vector<Sequence> sequences;
        for (size_t i = 0; i < count; i++)
          sequences.push_back(random_sequence(1 + random_() % (i % 2 ? 5 : 17), letters));
        check(texts, sequences);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(FindSet, LongSequences) {
  auto texts = random_texts(200, 3);
  for (size_t size : {15, 16, 17, 31, 32, 33, 63, 64}) {
    std::string text(size, 'a');
    for (char& c : text) c = char('a' + random_() % 3);
    texts[random_() % texts.size()] += text;
    texts[random_() % texts.size()] += text.substr(0, size - 1);
    check(texts, {literal(text), literal("xyz")});
    if (HasFatalFailure()) return;
  }
}

TEST_P(FindSet, NoMatchCrossesRows) {
  const std::vector<std::string> texts{"xxREA", "DMExx", "README", "",         "R",
                                       "EADME", "LIC",   "ENSE",   "aLICENSE", "LICENS"};
  check(texts, {literal("README"), literal("LICENSE")});
  check(texts, {literal("READ"), literal("READMEx"), literal("E")});
}

TEST_P(FindSet, AnyBytes) {
  std::vector<std::string> texts(400);
  for (std::string& text : texts) {
    text.resize(random_() % 70);
    for (char& c : text) c = char(random_());
  }
  for (int round = 0; round < 20; round++) {
    std::vector<Sequence> sequences(1 + random_() % 12, Sequence(1 + random_() % 3));
    for (Sequence& one : sequences) {
      for (auto& place : one) {
        for (u32 byte = 0; byte < 256; byte++) place[byte] = random_() % 16 == 0;
        place.set(random_() % 256);
      }
    }
    check(texts, sequences);
    if (HasFatalFailure()) return;
  }
  check(texts, {sequence({std::string("\0\xff", 2)})});
}

TEST_P(FindSet, HugeRowsAmongSmallOnes) {
  std::vector<std::string> texts(200, "small");
  texts[7] = std::string(1 << 20, 'h') + "needle";
  texts[8] = "pins" + std::string(1 << 20, 'n');
  texts[150] = std::string(1 << 20, 'e');
  check(texts, {literal("needle"), literal("pins"), sequence({"xyz", "0123456789"})});
}

INSTANTIATE_TEST_SUITE_P(All, FindSet, ::testing::ValuesIn(kTargets),
                         [](const auto& each) { return std::string(name(each.param)); });

}  // namespace
}  // namespace lanewise::lanes
