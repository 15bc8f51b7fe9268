#include "text/literals/literals.h"

#include <gtest/gtest.h>

#include "text/pattern/compiled_pattern.h"

namespace lanewise::text::literals {
namespace {

std::string shown_literals(const Pattern& pattern) {
  const auto& pieces = pattern.compiled().pieces;
  if (!pieces) return "none";
  std::string out = pieces->at_begin ? "^" : "";
  for (const std::string& piece : pieces->pieces) out += "<" + piece + ">";
  return out + (pieces->at_end ? "$" : "");
}
std::string search(const std::string& pattern) { return shown_literals(compile_regex(pattern)); }
std::string full(const std::string& pattern) {
  RegexOptions options;
  options.full_match = true;
  return shown_literals(compile_regex(pattern, options));
}
std::string like_literals(const std::string& pattern) { return shown_literals(compile_like(pattern, {'!'})); }

TEST(Pieces, OfRegexes) {
  EXPECT_EQ(search("abc"), "<abc>");
  EXPECT_EQ(search("^abc"), "^<abc>");
  EXPECT_EQ(search("abc$"), "<abc>$");
  EXPECT_EQ(search("^a(b)(?:c)$"), "^<abc>$");
  EXPECT_EQ(search("\\Aa\\.b\\z"), "^<a.b>$");
  EXPECT_EQ(search(""), "");
  EXPECT_EQ(search("^$"), "^$");
  EXPECT_EQ(search("^"), "^");
  EXPECT_EQ(search("[a]b"), "<ab>");
  EXPECT_EQ(full("abc"), "^<abc>$");
  EXPECT_EQ(full("^abc$"), "^<abc>$");
  for (const char* pattern : {"a.b", "a^b", "(?m)^a", "(?i)a", "a|b", "a*", "\\ba", "a$b", "ab?"}) {
    EXPECT_EQ(search(pattern), "none") << pattern;
  }
  EXPECT_EQ(search("(?i)1-2"), "<1-2>");
}

TEST(Pieces, OfLike) {
  EXPECT_EQ(like_literals("abc"), "^<abc>$");
  EXPECT_EQ(like_literals("abc%"), "^<abc>");
  EXPECT_EQ(like_literals("%abc"), "<abc>$");
  EXPECT_EQ(like_literals("%%abc%%"), "<abc>");
  EXPECT_EQ(like_literals("a%b%%c"), "^<a><b><c>$");
  EXPECT_EQ(like_literals("a!%b%"), "^<a%b>");
  EXPECT_EQ(like_literals("%"), "");
  EXPECT_EQ(like_literals(""), "^$");
  EXPECT_EQ(like_literals("a_"), "none");
}

std::string required(const std::string& pattern) { return compile_regex(pattern).compiled().required; }

TEST(Required, LongestTextOfEveryMatch) {
  EXPECT_EQ(required("li[a-z]+\\.so(\\.[0-9]+)*$"), ".so");
  EXPECT_EQ(required("a(bc)d"), "abcd");
  EXPECT_EQ(required("x*abc|y"), "");
  EXPECT_EQ(required("(abc)?de"), "de");
  EXPECT_EQ(required("(ab){2}c"), "ababc");
  EXPECT_EQ(required("(ab){2,}c"), "abab");
  EXPECT_EQ(required("a+bcd"), "bcd");
  EXPECT_EQ(required("(xyz.)+"), "xyz");
  EXPECT_EQ(required("\\bfoo\\b"), "foo");
  EXPECT_EQ(required("[ab]"), "");
  EXPECT_EQ(required("(?i)abc"), "");
  EXPECT_EQ(compile_like("a_bcd%e").compiled().required, "bcd");
}

TEST(Prefix, OfEveryMatchingRow) {
  const auto prefix = [](const std::string& pattern, bool full = false) {
    return compile_regex(pattern, {.full_match = full}).prefix();
  };
  EXPECT_EQ(prefix("^usr/(lib|share)/x"), "usr/");
  EXPECT_EQ(prefix("\\A(usr)/(li)+b"), "usr/li");
  EXPECT_EQ(prefix("(^ab|^cd)e"), "");
  EXPECT_EQ(prefix("^(ab){2,3}c"), "abab");
  EXPECT_EQ(prefix("^(abx?)+c"), "ab");
  EXPECT_EQ(prefix("^(ab)*c"), "");
  EXPECT_EQ(prefix("(^a|b)c"), "");
  EXPECT_EQ(prefix("x^ab"), "");
  EXPECT_EQ(prefix("x*^ab"), "");
  EXPECT_EQ(prefix("abc"), "");
  EXPECT_EQ(prefix("(?m)^abc"), "");
  EXPECT_EQ(prefix("abc.*", true), "abc");
  EXPECT_EQ(prefix("(?i)abc", true), "");
  EXPECT_EQ(compile_like("ab_c%").prefix(), "ab");
  EXPECT_EQ(compile_like("%ab").prefix(), "");
}

}  // namespace
}  // namespace lanewise::text::literals
