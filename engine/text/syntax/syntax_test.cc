#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "text/pattern/pattern.h"

namespace lanewise::text {
namespace {

std::string error_of(const std::string& pattern) {
  try {
    compile_regex(pattern);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RegexSyntax, ErrorsInGroupsMarkThePlace) {
  EXPECT_EQ(error_of("a(b"),
            "invalid regular expression: missing closing ')'\n"
            "  a(b\n"
            "   ^");
  EXPECT_EQ(error_of("ab)c"),
            "invalid regular expression: unmatched closing ')'\n"
            "  ab)c\n"
            "    ^");
  EXPECT_EQ(error_of("(?P<a b>c)"),
            "invalid regular expression: a group's name may contain letters, digits and _ only\n"
            "  (?P<a b>c)\n"
            "      ^^^");
  EXPECT_EQ(
      error_of("(?=a)"),
      "invalid regular expression: unknown flag or group; known are i, m, s, U, (?:...), (?P<name>...)\n"
      "  (?=a)\n"
      "  ^^^");
}

TEST(RegexSyntax, ErrorsInClassesMarkThePlace) {
  EXPECT_EQ(error_of("x[a-"),
            "invalid regular expression: missing closing ']'\n"
            "  x[a-\n"
            "   ^");
  EXPECT_EQ(error_of("[z-a]"),
            "invalid regular expression: the range runs backwards\n"
            "  [z-a]\n"
            "   ^^^");
  EXPECT_EQ(error_of("[[:foo:]]"),
            "invalid regular expression: unknown class name\n"
            "  [[:foo:]]\n"
            "   ^^^^^^^");
  EXPECT_EQ(error_of("\\p{Klingon}"),
            "invalid regular expression: unknown Unicode category or script\n"
            "  \\p{Klingon}\n"
            "  ^^^^^^^^^^^");
}

TEST(RegexSyntax, ErrorsInRepetitionsMarkThePlace) {
  EXPECT_EQ(error_of("a**"),
            "invalid regular expression: repetition of a repetition needs a group: (?:...)\n"
            "  a**\n"
            "   ^^");
  EXPECT_EQ(error_of("|*"),
            "invalid regular expression: nothing to repeat\n"
            "  |*\n"
            "   ^");
  EXPECT_EQ(error_of("a{2,1}"),
            "invalid regular expression: the repetition counts run backwards\n"
            "  a{2,1}\n"
            "   ^^^^^");
  EXPECT_EQ(error_of("a{1001}"),
            "invalid regular expression: repetition count above 1000\n"
            "  a{1001}\n"
            "   ^^^^^^");
  EXPECT_EQ(error_of("(a{20}){100}"),
            "invalid regular expression: nested repetitions make more than 1000 copies\n"
            "  (a{20}){100}\n"
            "         ^^^^^");
}

TEST(RegexSyntax, ErrorsInEscapesMarkThePlace) {
  EXPECT_EQ(error_of("(a)\\1"),
            "invalid regular expression: back references are not supported\n"
            "  (a)\\1\n"
            "     ^^");
  EXPECT_EQ(error_of("ab\\"),
            "invalid regular expression: backslash at the end\n"
            "  ab\\\n"
            "    ^");
  EXPECT_EQ(error_of("\\x{110000}"),
            "invalid regular expression: character above \\x{10FFFF}\n"
            "  \\x{110000}\n"
            "  ^^^^^^^^^");
  EXPECT_EQ(error_of("a\\q"),
            "invalid regular expression: unknown escape sequence\n"
            "  a\\q\n"
            "   ^^");
}

TEST(RegexSyntax, MarksCountCharactersNotBytes) {
  EXPECT_EQ(error_of("\xC3\xA4\xC3\xB6("),
            "invalid regular expression: missing closing ')'\n"
            "  \xC3\xA4\xC3\xB6(\n"
            "    ^");
  EXPECT_EQ(error_of("\n\x01("),
            "invalid regular expression: missing closing ')'\n"
            "  \\n\\x01(\n"
            "        ^");
  EXPECT_EQ(error_of("ab\xFFz"),
            "invalid regular expression: not UTF-8\n"
            "  ab\\xffz\n"
            "    ^^^^");
}

TEST(RegexSyntax, LongPatternsAreCut) {
  const std::string a(100, 'a');
  EXPECT_EQ(error_of(a + ")" + a),
            "invalid regular expression: unmatched closing ')'\n"
            "  ..." +
                std::string(60, 'a') + ")" + std::string(60, 'a') + "...\n" + "  " + std::string(63, ' ') +
                "^");
}

TEST(RegexSyntax, DepthAndSizeAreBounded) {
  EXPECT_NO_THROW(compile_regex(std::string(1000, '(') + std::string(1000, ')')));
  EXPECT_NE(error_of(std::string(1001, '(') + std::string(1001, ')')).find("nested more than 1000 deep"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(2 << 20, 'a')).find("pattern too large"), std::string::npos);
  EXPECT_NE(error_of("(\\pL{500}|\\pN{500}){2}").find("pattern too large"), std::string::npos);
}

TEST(RegexSyntax, GroupsAndNames) {
  const Pattern pattern = compile_regex("(a)(?:b)(?P<year>c)((d))");
  EXPECT_EQ(pattern.groups(), 4);
  EXPECT_EQ(pattern.group_names(), (std::vector<std::string>{"", "year", "", ""}));
  EXPECT_EQ(compile_like("a(b)%").groups(), 0);
  EXPECT_NO_THROW(compile_regex("(?P<\xC3\xA4hm_1>a)"));
}

TEST(RegexSyntax, Options) {
  bool global = false;
  EXPECT_FALSE(parse_regex_options("i").case_sensitive);
  EXPECT_TRUE(parse_regex_options("ic").case_sensitive);
  EXPECT_TRUE(parse_regex_options("l").literal);
  EXPECT_TRUE(parse_regex_options("s").dot_newline);
  for (const char* letters : {"sm", "sn", "sp", " \t\n"})
    EXPECT_FALSE(parse_regex_options(letters).dot_newline);
  parse_regex_options("gi", &global);
  EXPECT_TRUE(global);
  EXPECT_THROW(parse_regex_options("g"), UserError);
  EXPECT_THROW(parse_regex_options("x"), UserError);
}

TEST(LikeSyntax, PatternMustNotEndInTheEscape) {
  try {
    compile_like("100!", {'!'});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "invalid LIKE pattern: it must not end with the escape character\n"
                 "  100!\n"
                 "     ^");
  }
}

}  // namespace
}  // namespace lanewise::text
