#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "text/testing/every_form.h"
#include "text/testing/text_column.h"
#include "text/unicode/case.h"

namespace lanewise::text {
namespace {

/// LIKE as defined, by recursion over the bytes of both.
bool like(std::string_view text, std::string_view pattern, std::optional<char> escape) {
  if (pattern.empty()) return text.empty();
  if (escape && pattern[0] == *escape) {
    return !text.empty() && text[0] == pattern[1] && like(text.substr(1), pattern.substr(2), escape);
  }
  if (pattern[0] == '%') {
    for (size_t skip = 0; skip <= text.size(); ++skip) {
      if (like(text.substr(skip), pattern.substr(1), escape)) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  if (pattern[0] != '_') return text[0] == pattern[0] && like(text.substr(1), pattern.substr(1), escape);
  size_t bytes = 1;
  while (bytes < text.size() && unicode::is_continuation(text[bytes])) ++bytes;
  return like(text.substr(bytes), pattern.substr(1), escape);
}

std::string lower(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const unicode::Decoded c = unicode::decode(text);
    out += unicode::encode(unicode::to_lower(c.code_point));
    text.remove_prefix(c.bytes);
  }
  return out;
}

using Alphabet = std::vector<std::string>;

std::string random_text(const Alphabet& letters, int max_letters, std::mt19937& random) {
  std::string text;
  for (int n = static_cast<int>(random() % (max_letters + 1)); n > 0; --n)
    text += letters[random() % letters.size()];
  return text;
}

/// Random patterns over `pattern_letters` against `texts`; returns how many pairs matched.
size_t check_random(const Alphabet& pattern_letters, const testing::TextColumn& column,
                    const LikeOptions& options, int patterns, testing::FormCounts& counts) {
  std::mt19937 random(7);
  size_t matches = 0;
  for (int i = 0; i < patterns && !::testing::Test::HasFailure(); ++i) {
    std::string pattern = random_text(pattern_letters, 6, random);
    const std::string lowered = options.ignore_case ? lower(pattern) : pattern;
    bool ends_in_escape = false;
    for (size_t at = 0; options.escape && at < lowered.size(); ++at) {
      if (lowered[at] == *options.escape) ends_in_escape = ++at == lowered.size();
    }
    if (ends_in_escape) {
      EXPECT_THROW(compile_like(pattern, options), UserError) << pattern;
      continue;
    }
    std::vector<uint64_t> expected(bits::words(column.size()));
    for (size_t row = 0; row < column.size(); ++row) {
      const std::string& text = column.texts()[row];
      const bool hit = like(options.ignore_case ? lower(text) : text, lowered, options.escape);
      if (hit) bits::set(expected.data(), row);
      matches += hit;
    }
    testing::check_every_form(compile_like(pattern, options), column, expected, counts);
  }
  return matches;
}

std::vector<std::string> random_texts(const Alphabet& letters, int count, int max_letters) {
  std::mt19937 random(11);
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(random_text(letters, max_letters, random));
  return texts;
}

void report(const testing::FormCounts& counts, size_t matches) {
  std::printf("%zu pairs, %zu matches of pattern and text; in all forms:\n", counts.total(), matches);
  counts.print();
  EXPECT_GT(matches, test_size(50u, 1000u));
}

TEST(Like, AllSmallTexts) {
  testing::FormCounts counts;
  const testing::TextColumn column(testing::all_texts({"a", "b", "\xC3\xA9"}, 4), 5);
  report(counts, check_random({"a", "b", "%", "_", "\xC3\xA9"}, column, {}, test_size(300, 3000), counts));
}

TEST(Like, Escape) {
  testing::FormCounts counts;
  const testing::TextColumn column(testing::all_texts({"a", "%", "_", "!"}, 4));
  LikeOptions options;
  for (char escape : {'!', 'a', '_', '\0'}) {
    options.escape = escape;
    report(counts,
           check_random({"a", "%", "_", "!", "!%", "!_", "!!"}, column, options, test_size(60, 800), counts));
  }
}

TEST(Like, IgnoreCase) {
  testing::FormCounts counts;
  // The lower cases of the Kelvin sign and the dotted I have another length; sigma has two.
  const Alphabet letters{"k",        "K",        "\xE2\x84\xAA", "\xC4\xB0", "i",
                         "\xCE\xA3", "\xCF\x83", "\xCF\x82",     "\xC3\x84", "1"};
  const testing::TextColumn column(random_texts(letters, 700, 4));
  Alphabet pattern_letters = letters;
  for (int i = 0; i < 5; ++i) pattern_letters.insert(pattern_letters.end(), {"%", "_"});
  LikeOptions options;
  options.ignore_case = true;
  report(counts, check_random(pattern_letters, column, options, test_size(150, 1500), counts));
}

TEST(Like, TextThatIsNotUtf8) {
  testing::FormCounts counts;
  const testing::TextColumn column(testing::all_texts({"a", "\xC3", "\xA9", "\xF0"}, 4));
  report(counts, check_random({"a", "%", "_", "\xC3", "\xA9"}, column, {}, test_size(150, 1500), counts));
}

TEST(Like, LongTexts) {
  testing::FormCounts counts;
  const testing::TextColumn column(random_texts({"a", "b"}, 200, 100), 1);
  report(counts, check_random({"a", "b", "%", "_", "%", "ab"}, column, {}, test_size(25, 250), counts));
}

TEST(Like, NulBytes) {
  const std::string text("a\0b", 3);
  EXPECT_TRUE(Matcher(compile_like(std::string("a\0%", 3))).match(text));
  EXPECT_TRUE(Matcher(compile_like("a_b")).match(text));
  EXPECT_FALSE(Matcher(compile_like("ab")).match(text));
}

TEST(Like, ManyPiecesStaySmall) {
  std::string pattern = "%";
  for (int i = 0; i < 40; ++i) pattern += "abcab_" + std::to_string(i) + "%";
  const Pattern compiled = compile_like(pattern);
  EXPECT_NE(compiled.describe().find("states x"), std::string::npos) << compiled.describe();
}

TEST(Like, PercentAsEscape) {
  const Matcher matcher(compile_like("a%%%%", {'%'}));
  for (const char* text : {"a", "a%", "a%%"}) EXPECT_TRUE(matcher.match(text)) << text;
  for (const char* text : {"", "a%%%", "ab", "a%b"}) EXPECT_FALSE(matcher.match(text)) << text;
  EXPECT_FALSE(Matcher(compile_like("a%%b", {'%'})).match("ab"));
  EXPECT_THROW(compile_like("a%%%", {'%'}), UserError);
}

TEST(Like, EscapeMustBeOneByte) {
  EXPECT_EQ(parse_escape("\\"), '\\');
  EXPECT_EQ(parse_escape(""), '\0');
  EXPECT_THROW(parse_escape("ab"), UserError);
  EXPECT_THROW(parse_escape("\xC3\xA9"), UserError);
}

/// DuckDB's GLOB, by recursion.
bool glob(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return glob(text, pattern.substr(1)) || (!text.empty() && glob(text.substr(1), pattern));
  if (text.empty()) return false;
  if (pattern[0] == '?') return glob(text.substr(1), pattern.substr(1));
  if (pattern[0] == '\\') {
    return pattern.size() > 1 && text[0] == pattern[1] && glob(text.substr(1), pattern.substr(2));
  }
  if (pattern[0] != '[') return text[0] == pattern[0] && glob(text.substr(1), pattern.substr(1));
  const bool negated = pattern.size() > 1 && pattern[1] == '!';
  pattern.remove_prefix(negated ? 2 : 1);
  bool found = false;
  for (bool first = true;; first = false) {
    if (pattern.empty()) return false;
    if (pattern[0] == ']' && !first) break;
    if (pattern.size() == 1) return false;
    const bool range = pattern[1] == '-';
    if (range && pattern.size() == 2) return false;
    found = found || (text[0] >= pattern[0] && text[0] <= pattern[range ? 2 : 0]);
    pattern.remove_prefix(range ? 3 : 1);
  }
  return found != negated && glob(text.substr(1), pattern.substr(1));
}

TEST(Glob, AllSmallTexts) {
  testing::FormCounts counts;
  const testing::TextColumn column(testing::all_texts({"a", "b", "]", "-", "\xC3"}, 4));
  const Alphabet letters{"a", "b", "*", "?", "[", "]", "!", "-", "\\", "\xC3", "[a]", "[!a-b]"};
  std::mt19937 random(3);
  size_t matches = 0;
  for (int i = 0; i < test_size(300, 3000) && !::testing::Test::HasFailure(); ++i) {
    const std::string pattern = random_text(letters, 6, random);
    std::vector<uint64_t> expected(bits::words(column.size()));
    for (size_t row = 0; row < column.size(); ++row) {
      if (!glob(column.texts()[row], pattern)) continue;
      bits::set(expected.data(), row);
      ++matches;
    }
    testing::check_every_form(compile_glob(pattern), column, expected, counts);
  }
  report(counts, matches);
}

}  // namespace
}  // namespace lanewise::text
