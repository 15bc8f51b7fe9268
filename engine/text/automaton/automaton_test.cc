#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

#include <re2/re2.h>
#include "base/error.h"

#include "text/automaton/approximation.h"
#include "text/automaton/complete_automaton.h"
#include "text/automaton/lazy_automaton.h"
#include "text/pattern/compiled_pattern.h"
#include "text/testing/text_column.h"

namespace lanewise::text::automaton {
namespace {

const CompleteAutomaton& automaton_of(const Pattern& pattern) {
  const CompleteAutomaton* automaton = pattern.compiled().automaton();
  if (automaton == nullptr) throw InternalError("no automaton for " + pattern.source());
  return *automaton;
}

/// The guarantees of lanes::AutomatonView.
void check_numbering(const std::string& source) {
  for (bool full : {false, true}) {
    RegexOptions options;
    options.full_match = full;
    const Pattern pattern = compile_regex(source, options);
    const CompleteAutomaton& a = automaton_of(pattern);
    ASSERT_EQ(a.next.size(), size_t(a.states) * a.classes) << source;
    ASSERT_LT(a.start, a.states);
    ASSERT_LE(a.end_accept, a.match);
    ASSERT_TRUE(a.match == a.states || a.match == a.states - 1) << source;
    for (uint8_t c : a.class_of) ASSERT_LT(c, a.classes);
    for (unsigned s = 0; s < a.states; ++s) {
      bool absorbs = true;
      for (unsigned c = 0; c < a.classes; ++c) {
        ASSERT_LT(a.next[s * a.classes + c], a.states);
        absorbs = absorbs && a.next[s * a.classes + c] == s;
      }
      ASSERT_EQ(absorbs, s == a.dead || s == a.match) << source << ", state " << s;
    }
    if (a.dead < a.states) {
      ASSERT_LT(a.dead, a.end_accept) << source;
    }
  }
}

TEST(CompleteAutomaton, NumbersStatesAsLanesAsk) {
  for (const char* source : {"", "a", "^a$", "a|b", "(?m)^a$", "\\bfoo\\b", "[^\\x00-\\x{10FFFF}]", "a*",
                             "(?s).*", "[a-z]{20,40}", "\\pL+", "(foo|bar)[0-9]", "\\z", "a\\B"}) {
    check_numbering(source);
  }
}

TEST(CompleteAutomaton, IsAsSmallAsCanBe) {
  auto size = [](const std::string& source) {
    const Pattern pattern = compile_regex(source);
    return std::pair(automaton_of(pattern).states, automaton_of(pattern).classes);
  };
  EXPECT_EQ(size("a"), std::pair(2u, 2u));
  EXPECT_EQ(size("abc"), std::pair(4u, 4u));
  EXPECT_EQ(size("[0-9]{3}"), std::pair(4u, 2u));
  EXPECT_EQ(size("(a|b|c)(a|b|c)"), std::pair(3u, 2u));
  EXPECT_EQ(size("a|ab|abc|abcd"), std::pair(2u, 2u));
  EXPECT_EQ(size("(?s)^.*$").first, 5u);  // 0 to 3 bytes of a character still expected, or invalid UTF-8
}

TEST(CompleteAutomaton, LimitsAreKept) {
  Limits limits;
  const Pattern wide = compile_regex("[ab]*a[ab]{20}x");
  EXPECT_EQ(wide.compiled().automaton(), nullptr);
  EXPECT_NE(wide.describe().find("too large to complete"), std::string::npos);
  RegexOptions options;
  options.limits.automaton_states = 3;
  EXPECT_EQ(compile_regex("abc", options).compiled().automaton(), nullptr);
  options.limits = Limits();
  options.limits.automaton_bytes = 100;
  EXPECT_EQ(compile_regex("abc", options).compiled().automaton(), nullptr);
  options.limits = Limits();
  options.limits.automaton_work = 10;
  EXPECT_EQ(compile_regex("abc", options).compiled().automaton(), nullptr);
  options.limits = Limits();
  options.limits.program_size = 10;
  EXPECT_THROW(compile_regex("a{20}.", options), UserError);
}

TEST(Limits, LargeClassesMayBeRepeatedAsOftenAsRe2Allows) {
  for (const char* source :
       {"\\p{L}{300}", "\\pL{400}", "\\p{Lu}{500}", "\\p{L}{100,200}", "(?s).{1000}", "[a-z]{1000}"}) {
    const Pattern pattern = compile_regex(source);
    LazyAutomaton automaton(pattern.compiled().program(), pattern.compiled().byte_classes(),
                            Question::kSearch, size_t{8} << 20);
    const re2::RE2 oracle(source, re2::RE2::Quiet);
    ASSERT_TRUE(oracle.ok()) << source;
    for (const size_t length : {99, 100, 299, 300, 399, 400, 499, 500, 999, 1000}) {
      for (const char letter : {'x', 'X'}) {
        const std::string text(length, letter);
        EXPECT_EQ(automaton.matches(text), re2::RE2::PartialMatch(text, oracle)) << source << ' ' << length;
      }
    }
  }
}

TEST(LazyAutomaton, TinyCachesGiveTheSameAnswers) {
  const Pattern pattern = compile_regex("[ab]*a[ab]{12}(x|\\by)$");
  const auto& compiled = pattern.compiled();
  LazyAutomaton roomy(compiled.program(), compiled.byte_classes(), Question::kSearch, size_t{64} << 20);
  LazyAutomaton tiny(compiled.program(), compiled.byte_classes(), Question::kSearch, 2'000);
  std::mt19937 random(5);
  size_t hits = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int n = 0; n < 40; ++n) text += "ab"[random() % 2];
    text += "xyz "[random() % 4];
    if (random() % 2) text += "y";
    const bool expected = roomy.matches(text);
    hits += expected;
    ASSERT_EQ(tiny.matches(text), expected) << text;
  }
  EXPECT_GT(hits, 100u);
  EXPECT_EQ(roomy.flushes(), 0u);
  EXPECT_GT(tiny.flushes(), 1000u);
}

TEST(LazyAutomaton, StaysLinearWhereBacktrackingWouldNot) {
  const Pattern pattern = compile_regex("(a*)*(a*)*(a|aa)*[ab]{0,500}c");
  const auto& compiled = pattern.compiled();
  LazyAutomaton automaton(compiled.program(), compiled.byte_classes(), Question::kSearch, size_t{1} << 20);
  const std::clock_t started = std::clock();  // processor time: independent of the machine's load
  EXPECT_FALSE(automaton.matches(std::string(1 << 20, 'a')));
  EXPECT_LT(std::clock() - started, 20 * CLOCKS_PER_SEC);
}

/// An approximation never misses a match, and omits something.
TEST(Approximation, MatchesAllThatTheWholeMatches) {
  const std::vector<std::string> texts = testing::all_texts({"a", "b", "c", "-"}, 6);
  for (const char* pattern :
       {"abca|b-b|c{3}", "^ab+c-$", "(a|b)*c-a.b", "[ab]{3}-", "^-a(b|c){2}$", "ab\\b.c"}) {
    const Pattern compiled = compile_regex(pattern);
    const CompleteAutomaton& exact = automaton_of(compiled);
    for (unsigned most : {3u, 5u, 8u}) {
      const auto coarse =
          approximate(exact, [&](const CompleteAutomaton& made) { return made.states <= most; });
      if (!coarse) continue;
      EXPECT_LE(coarse->states, most);
      size_t matched = 0;
      for (const std::string& text : texts) {
        const bool found = coarse->matches(text);
        matched += found;
        ASSERT_TRUE(found || !exact.matches(text)) << pattern << " in " << text << " with " << most;
      }
      EXPECT_LT(matched, texts.size()) << pattern;
    }
    const auto whole = approximate(exact, [](const CompleteAutomaton&) { return true; });
    ASSERT_TRUE(whole) << pattern;
    for (const std::string& text : texts)
      ASSERT_EQ(whole->matches(text), exact.matches(text)) << pattern << " in " << text;
  }
  const Pattern compiled = compile_regex("abc");
  EXPECT_FALSE(approximate(automaton_of(compiled), [](const auto&) { return false; }));
}

}  // namespace
}  // namespace lanewise::text::automaton
