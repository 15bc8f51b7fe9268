#include "text/literals/sequences.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "text/pattern/compiled_pattern.h"

namespace lanewise::text::literals {
namespace {

/// A position as its bytes; "[ab]" if there are several, "[...]" if there are more than four.
std::string show_sequences(const Sequence& sequence) {
  std::string out;
  for (const auto& place : sequence) {
    std::string bytes;
    for (size_t b = place._Find_first(); b < 256; b = place._Find_next(b)) bytes += static_cast<char>(b);
    out += bytes.size() == 1 ? bytes : bytes.size() > 4 ? "[...]" : "[" + bytes + "]";
  }
  return out;
}

std::string show_sequences(const SequenceSet& set) {
  std::vector<std::string> shown;
  for (const Sequence& sequence : set) shown.push_back(show_sequences(sequence));
  std::ranges::sort(shown);
  std::string out;
  for (const std::string& sequence : shown) out += " " + sequence;
  return out;
}

std::string show_sequences(const Pattern& pattern) {
  const Sequences& found = pattern.compiled().sequences();
  return (found.exact ? "exact" : "some") + show_sequences(found.any);
}
std::string search_sequences(const std::string& pattern) { return show_sequences(compile_regex(pattern)); }

TEST(Sequences, OfWholePatterns) {
  EXPECT_EQ(search_sequences("abc|de"), "exact abc de");
  EXPECT_EQ(search_sequences("(a|b)c?d"), "exact acd ad bcd bd");
  EXPECT_EQ(search_sequences("[ab]c"), "exact [ab]c");
  EXPECT_EQ(search_sequences("(?i)li"), "exact [Ll][Ii]");
  EXPECT_EQ(search_sequences("x{2}(y|z)"), "exact xxy xxz");
  EXPECT_EQ(search_sequences("[ab]{2,}"), "exact [ab][ab]");
  EXPECT_EQ(search_sequences("a+b(c*)"), "exact ab");
  EXPECT_EQ(search_sequences("(a+|b{2,3})"), "exact a bb");
  EXPECT_EQ(search_sequences("[\xC3\xA0-\xC3\xA3]"), "exact \xC3[\xA0\xA1\xA2\xA3]");
}

TEST(Sequences, OfPartsOfPatterns) {
  EXPECT_EQ(search_sequences("(foo|bar)[a-z]*[0-9]"), "some bar foo");
  EXPECT_EQ(search_sequences("^(ab|cd)"), "some ab cd");
  EXPECT_EQ(search_sequences("\\babc\\b"), "some abc");
  EXPECT_EQ(search_sequences("e(ab)+ZQ"), "some abZQ");
  EXPECT_EQ(search_sequences("x.*README.*y"), "some README");
  EXPECT_EQ(search_sequences("(ab|.*)"), "some");
  EXPECT_EQ(search_sequences("a*"), "some");
  EXPECT_EQ(search_sequences(""), "some");
  EXPECT_EQ(show_sequences(compile_like("%a_QZ%")), "some QZ");
  EXPECT_EQ(show_sequences(compile_regex("ab|cd", {.full_match = true})), "some ab cd");
}

TEST(Sequences, OfAllPartsThatTellSomething) {
  const auto others = [](const std::string& pattern) {
    std::string out;
    const Pattern compiled = compile_regex(pattern);
    for (const SequenceSet& set : compiled.compiled().sequences().others)
      out += (out.empty() ? "" : ",") + show_sequences(set);
    return out;
  };
  EXPECT_EQ(search_sequences("lib[a-z]+\\.so"), "some lib[...]");
  EXPECT_EQ(others("lib[a-z]+\\.so"), " [...].so");  // not lib, since whatever contains lib[a-z] contains it
  EXPECT_EQ(others("(QZ|ZQ).*ee.*(ab|cd)"), " ab cd, ee");
  EXPECT_EQ(others("Q.*z.*x.*e"), " z, x");  // only the rarest few
  EXPECT_EQ(others("abc|de"), "");
  EXPECT_EQ(others("a*"), "");
}

/// However large the pattern is, the result stays within bounds.
TEST(Sequences, AreFewAndShort) {
  for (const char* pattern : {"(a|b|c|d|e|f|g){20}", "\\p{L}+", "\\p{Han}|\\p{Cyrillic}", ".{1000}",
                              "(?:\\p{Lu}\\p{Ll}){3}x", "((((a?){9}){9}){9}){1}b", "[ab]{100}"}) {
    const Pattern compiled = compile_regex(pattern);
    const Sequences& found = compiled.compiled().sequences();
    EXPECT_FALSE(found.any.empty()) << pattern;
    EXPECT_LE(found.any.size(), lanes::SequenceFinder::kMost) << pattern;
    for (const Sequence& sequence : found.any) {
      EXPECT_GT(sequence.size(), 0u) << pattern;
      EXPECT_LE(sequence.size(), lanes::SequenceFinder::kLongest) << pattern;
    }
  }
}

TEST(Run, IsFoundInPatternsOfOneClass) {
  const auto run = [](const std::string& pattern) {
    return find_run(compile_regex(pattern).compiled().ast, false);
  };
  EXPECT_EQ(run("[0-9]{3}")->length, 3u);
  EXPECT_TRUE(run("([0-9]){3,5}")->exact());
  EXPECT_EQ(run("[a-z]")->length, 1u);
  EXPECT_EQ(run("(.{200})")->length, 200u);
  EXPECT_FALSE(run(".{200}")->exact());
  EXPECT_FALSE(run(".")->bytes['\n']);
  EXPECT_TRUE(run(".")->maybe[0xE4]);
  for (const char* pattern : {"abc", "[0-9]*", "[0-9]{2}x", "^[0-9]{3}", "(ab){3}"})
    EXPECT_FALSE(run(pattern)) << pattern;
}

TEST(Lengths, OfMatchesAndRows) {
  const auto lengths = [](const std::string& pattern) { return compile_regex(pattern).compiled().lengths; };
  EXPECT_EQ(lengths("a{3}b?").shortest, 3u);
  EXPECT_EQ(lengths("a{3}b?").longest_match, 4u);
  EXPECT_EQ(lengths("ab|cde").shortest, 2u);
  EXPECT_FALSE(lengths("a+").longest_match);
  EXPECT_EQ(lengths("/[^/]{1,3}$").longest_match, 13u);
  EXPECT_TRUE(lengths("/[^/]{1,3}$").only_at_end);
  EXPECT_TRUE(lengths("(a|b)(c)$").only_at_end);
  for (const char* pattern : {"ab", "^ab$", "\\bab$", "(?m)ab$", "ab$|cd", "(a|^b)c$"}) {
    EXPECT_FALSE(lengths(pattern).only_at_end) << pattern;
  }
}

}  // namespace
}  // namespace lanewise::text::literals
