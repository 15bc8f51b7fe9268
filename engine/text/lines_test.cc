#include "text/lines.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "text/captures/captures.h"

namespace lanewise::text {
namespace {

/// Compares with the matcher applied to each line alone.
void check(const Pattern& pattern, const std::string& text) {
  std::vector<lanes::Line> expected;
  const Matcher one(pattern);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    if (one.match(std::string_view(text).substr(begin, end - 1 - begin))) {
      expected.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    }
    begin = end;
  }
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.resize(text.size() + 64, 'a');
  for (const lanes::Target target : lanes::supported_targets()) {
    MatcherOptions options;
    options.lanes = lanes::name(target);
    std::optional<LineMatcher> matcher;
    try {
      matcher.emplace(pattern, options);
    } catch (const UserError&) {
      continue;  // many candidates change the method, temporarily
    }
    LineContext context;
    const int rounds = text.size() > 1000 ? 2 : 20;  // many candidates change the way, temporarily
    for (int round = 0; round < rounds; ++round) {
      std::vector<lanes::Line> found;
      matcher->match(bytes.data(), text.size(), found, context);
      ASSERT_EQ(found, expected) << pattern.source() << " on " << options.lanes << ", round " << round << ": "
                                 << matcher->describe();
    }
  }
}

std::string random_lines(std::mt19937& random, int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    for (auto k = random() % 12; k > 0; --k) text += "ab c_0-\xff"[random() % 8];
    text += '\n';
  }
  return text;
}

TEST(LineMatcher, AsLinesAlone) {
  std::mt19937 random(1);
  const std::string texts[] = {"",
                               "\n",
                               "a\n",
                               "\n\n\n",
                               random_lines(random, 70),
                               "aQZb\nQZa\nQZ\nZqa\n\nZ\nxZQ\nZ Q\n",
                               random_lines(random, 5000),
                               std::string(test_size(7'000, 70'000), 'b') + "ab\n" + random_lines(random, 3)};
  for (const char* pattern : {"a",
                              "ab",
                              "a[bc]",
                              "",
                              "^$",
                              "^",
                              "$",
                              "ab$",
                              "^ab",
                              "^ab$",
                              "b.a",
                              "\\bab",
                              "\\Bb",
                              "(a|b)+c",
                              "ab.*c",
                              "a\\nb",
                              "[^a]",
                              "\\s",
                              "\\C",
                              "(?m)^a$",
                              "x",
                              "[^\\x00-\\x{10FFFF}]",
                              "QZ|Zq",
                              "QZ[^a]|Z\\sQ",
                              "(QZ|Zq).*[ab]"}) {
    for (const std::string& text : texts) check(compile_regex(pattern), text);
  }
}

TEST(LineMatcher, WholeWords) {
  const auto matches = [](const char* pattern, std::string_view text) {
    RegexOptions options;
    options.whole_words = true;
    const Pattern compiled = compile_regex(pattern, options);
    const bool match = Matcher(compiled).match(text);
    CaptureContext context;
    Capture capture;
    EXPECT_EQ(find_captures(compiled, text, 0, {&capture, 1}, context), match) << pattern << " " << text;
    return match;
  };
  EXPECT_TRUE(matches("ab", "ab"));
  EXPECT_TRUE(matches("ab", "x ab-c"));
  EXPECT_TRUE(matches("ab", "abab ab"));
  EXPECT_FALSE(matches("ab", "abc"));
  EXPECT_FALSE(matches("ab", "_ab"));
  EXPECT_FALSE(matches("ab", "0ab"));
  EXPECT_TRUE(matches("ab",
                      "\xc3\xa4"
                      "ab"));  // \b considers only ASCII
  EXPECT_TRUE(matches("ab|abc", "abc"));
  EXPECT_TRUE(matches("@a", "x @a"));
  EXPECT_FALSE(matches("@a", "x@a"));
  EXPECT_TRUE(matches("-", "---"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("", "a "));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("a*", "ba c aa"));
  EXPECT_FALSE(matches("a+", "ba ca baa"));
}

TEST(LineMatcher, AnyOfSeveral) {
  const auto matches = [](std::vector<std::string> patterns, std::string_view text,
                          RegexOptions options = {}) {
    return Matcher(compile_any(patterns, options)).match(text);
  };
  EXPECT_FALSE(matches({}, ""));
  EXPECT_TRUE(matches({"a"}, "ba"));
  EXPECT_TRUE(matches({"x", "^b"}, "ba"));
  EXPECT_FALSE(matches({"x", "^a"}, "ba"));
  EXPECT_TRUE(matches({"(?i)x", "b"}, "X"));
  EXPECT_FALSE(matches({"(?i)x", "b"}, "B"));
  EXPECT_TRUE(matches({"\\Qa|", "z"}, "a|"));
  RegexOptions whole;
  whole.full_match = true;
  EXPECT_TRUE(matches({"a", "ab"}, "ab", whole));
  EXPECT_FALSE(matches({"a", "ab"}, "abc", whole));
  RegexOptions literal;
  literal.literal = true;
  EXPECT_TRUE(matches({"a.", "(b"}, "(b", literal));
  EXPECT_FALSE(matches({"a.", "(b"}, "ab", literal));
  EXPECT_THROW(compile_any(std::vector<std::string>{"a", "(b"}), UserError);

  const Pattern groups = compile_any(std::vector<std::string>{"(a)(?P<n>b)", "(c)"});
  EXPECT_EQ(groups.groups(), 3);
  EXPECT_EQ(groups.group_names()[1], "n");
  CaptureContext context;
  EXPECT_EQ(regexp_extract(groups, "xc", 3, context), "c");
}

TEST(LineMatcher, SaysHow) {
  EXPECT_NE(LineMatcher(compile_regex("needle")).describe().find("'needle' searched in all lines"),
            std::string::npos);
  EXPECT_NE(LineMatcher(compile_regex("needle[0-9]")).describe().find("then "), std::string::npos);
  EXPECT_NE(LineMatcher(compile_regex("README|LICENSE")).describe().find("sequences of bytes searched"),
            std::string::npos);
  EXPECT_EQ(LineMatcher(compile_regex("[0-9]")).describe().find("searched in all lines"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::text
