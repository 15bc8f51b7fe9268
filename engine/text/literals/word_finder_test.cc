#include "text/literals/word_finder.h"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/test_size.h"
#include "text/captures/captures.h"
#include "text/captures/engines/backtracker.h"
#include "text/lines.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::text {
namespace {

/// Those after the first eight are not ASCII.
const std::vector<std::string> kLetters = {"a", "b", "k", "K", "s",      "_",
                                           " ", "0", "é", "É", "\u017f", "\u212a"};

std::string random_word(std::mt19937& random, size_t longest, size_t letters) {
  std::string word;
  for (size_t k = 1 + random() % longest; k > 0; --k) word += kLetters[random() % letters];
  return word;
}

/// A pattern of many words, many of which begin with another word.
std::string random_words(std::mt19937& random, bool ascii) {
  const size_t shortest = random() % 9, letters = ascii ? 8 : 4 + random() % (kLetters.size() - 3);
  std::string pattern;
  for (int i = 0; i < 70; ++i) {
    pattern.append(i == 0 ? "" : "|").append(random_word(random, 2, letters));
    for (size_t k = 0; k < shortest; ++k) pattern += kLetters[random() % letters];
  }
  return pattern;
}

std::string random_text(std::mt19937& random, const std::string& words) {
  std::string text;
  for (auto k = random() % 30; k > 0; --k) {
    const size_t at = random() % words.size();
    text += random() % 2 == 0 ? words.substr(at, words.find('|', at) - at)
                              : random_word(random, 3, kLetters.size());
    if (random() % 9 == 0) text += "\xff\xc3\n-"[random() % 4];
  }
  return text;
}

/// All matches in a text by the words, and by the pattern's program.
void check_places(const Pattern& pattern, const std::string& text) {
  const auto& compiled = pattern.compiled();
  CaptureContext context;
  captures::Backtracker backtracker;
  MatchFinder finder(pattern, text, context);
  for (size_t from = 0; from <= text.size();) {
    Capture found, expected;
    const bool finds = finder.next(from, {&found, 1});
    ASSERT_EQ(finds,
              backtracker.find(compiled.program(), compiled.start_condition(), text, from, {&expected, 1}))
        << pattern.source() << " in '" << text << "' from " << from;
    if (!finds) break;
    ASSERT_EQ(std::pair(found.begin, found.end), std::pair(expected.begin, expected.end))
        << pattern.source() << " in '" << text << "' from " << from;
    from = found.end;
  }
}

void check_lines(const Pattern& pattern, std::string text) {
  text += '\n';
  const auto& compiled = pattern.compiled();
  captures::Backtracker backtracker;
  std::vector<lanes::Line> expected;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    const std::string_view line(text.data() + begin, end - 1 - begin);
    Capture match;
    if (backtracker.find(compiled.program(), compiled.start_condition(), line, 0, {&match, 1}))
      expected.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    begin = end;
  }
  const size_t size = text.size();
  text.resize(size + 64);
  LineContext context;
  std::vector<lanes::Line> found;
  LineMatcher(pattern).match(reinterpret_cast<const uint8_t*>(text.data()), size, found, context);
  ASSERT_EQ(found, expected) << pattern.source() << " in '" << text << "'";
}

TEST(WordFinder, AsThePatternsProgram) {
  std::mt19937 random(1);
  for (int i = 0; i < test_size(150, 5000); ++i) {
    RegexOptions options;
    options.case_sensitive = random() % 2 == 0;
    options.dialect = random() % 2 == 0 ? Dialect::kRe2 : Dialect::kRust;
    options.unicode = random() % 3 != 0;
    options.whole_words = random() % 3 == 0;
    const std::string words = random_words(random, !options.unicode && options.dialect == Dialect::kRust);
    const std::string whole = random() % 5 == 0 ? "^(?:" + words + ")$" : words;
    const Pattern pattern = compile_regex(whole, options);
    SCOPED_TRACE(std::to_string(options.case_sensitive) + std::to_string(int(options.dialect)) +
                 std::to_string(options.unicode) + std::to_string(options.whole_words));
    const bool is_list = pattern.compiled().words() != nullptr;
    ASSERT_TRUE(is_list || (!options.case_sensitive && options.whole_words)) << whole;
    if (!is_list) continue;
    for (int k = 0; k < 10; ++k) {
      const std::string text = random_text(random, words);
      check_places(pattern, text);
      check_lines(pattern, text);
      if (HasFatalFailure()) return;
    }
  }
}

std::string numbers(int count) {
  std::string pattern;
  for (int i = 0; i < count; ++i) pattern.append(i == 0 ? "" : "|").append("word").append(std::to_string(i));
  return pattern;
}

TEST(WordFinder, WhatIsAList) {
  const auto is_list = [](const std::string& pattern, const RegexOptions& options = {}) {
    return compile_regex(pattern, options).compiled().words() != nullptr;
  };
  RegexOptions ignoring;
  ignoring.case_sensitive = false;
  EXPECT_TRUE(is_list(numbers(100)));
  EXPECT_TRUE(is_list("(" + numbers(100) + ")"));
  EXPECT_TRUE(is_list("\\b(?:" + numbers(100) + ")\\b"));
  EXPECT_TRUE(is_list(numbers(100), ignoring));
  EXPECT_FALSE(is_list(numbers(10)));
  EXPECT_FALSE(is_list(numbers(100) + "|a*"));
  EXPECT_FALSE(is_list(numbers(100) + "|"));
  EXPECT_FALSE(is_list("(?i:" + numbers(50) + ")|" + numbers(50)));
  std::vector<Pattern> like;
  for (int i = 0; i < 100; ++i) like.push_back(compile_like("%word" + std::to_string(i) + "%"));
  EXPECT_NE(unite(like).compiled().words(), nullptr);
}

TEST(WordFinder, RowsOfMatchers) {
  const Matcher matcher(compile_regex(numbers(5000)));
  EXPECT_EQ(matcher.form(), "words");
  EXPECT_TRUE(matcher.match("a word4999 of many"));
  EXPECT_TRUE(matcher.match("word1"));
  EXPECT_FALSE(matcher.match("word"));
  EXPECT_FALSE(matcher.match(""));
  RegexOptions whole;
  whole.full_match = true;
  const Matcher equal(compile_regex(numbers(5000), whole));
  EXPECT_TRUE(equal.match("word4999"));
  EXPECT_FALSE(equal.match("word49990"));
  EXPECT_FALSE(equal.match("a word4999"));
}

}  // namespace
}  // namespace lanewise::text
