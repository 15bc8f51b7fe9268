// All small patterns × all small strings against RE2: the boolean result of every form, and the captures.
// `./dev test --all` takes larger ones.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/testing/test_size.h"
#include "text/captures/captures.h"
#include "text/captures/engines/backtracker.h"
#include "text/captures/engines/pike_vm.h"
#include "text/captures/tagged_automaton.h"
#include "text/pattern/compiled_pattern.h"
#include "text/testing/every_form.h"
#include "text/testing/pattern_generator.h"
#include "text/testing/text_column.h"

namespace lanewise::text {
namespace {

std::string show(const std::vector<Capture>& groups) {
  std::string out;
  for (const Capture& g : groups) {
    out += g.matched() ? "(" + std::to_string(g.begin) + "," + std::to_string(g.end) + ")" : "(-)";
  }
  return out;
}

/// Leftmost-first groups as RE2 finds them; empty if there is no match.
std::vector<Capture> captures_of(const RE2& oracle, const std::string& text) {
  std::vector<re2::StringPiece> theirs(oracle.NumberOfCapturingGroups() + 1);
  if (!oracle.Match(text, 0, text.size(), RE2::UNANCHORED, theirs.data(), theirs.size())) return {};
  std::vector<Capture> groups;
  for (re2::StringPiece piece : theirs) {
    if (piece.data() == nullptr) {
      groups.emplace_back();
    } else {
      const auto begin = static_cast<size_t>(piece.data() - text.data());
      groups.push_back({begin, begin + piece.size()});
    }
  }
  return groups;
}

/// All ways of finding captures, against RE2.
struct CaptureCheck {
  CaptureContext context;
  captures::Backtracker backtracker;
  captures::PikeVm pike_vm;
  size_t one_passes = 0;  // pairs that a single pass could answer
  std::optional<captures::TaggedAutomaton> tagged;

  void begin(const Pattern& pattern) {
    std::vector<int> groups(pattern.groups() + 1);
    std::iota(groups.begin(), groups.end(), 0);
    tagged = captures::TaggedAutomaton::make(pattern, groups);
    ASSERT_TRUE(tagged) << pattern.source();
  }

  void check(const RE2& oracle, const Pattern& pattern, const std::string& text) {
    const std::vector<Capture> expected = captures_of(oracle, text);
    std::vector<Capture> found(pattern.groups() + 1);
    const auto& compiled = pattern.compiled();
    if (!backtracker.find(compiled.program(), compiled.start_condition(), text, 0, found)) found.clear();
    ASSERT_EQ(show(found), show(expected)) << "backtracker: '" << pattern.source() << "' in '" << text << "'";
    found.resize(pattern.groups() + 1);
    if (!pike_vm.find(compiled.program(), compiled.start_condition(), text, 0, found)) found.clear();
    ASSERT_EQ(show(found), show(expected)) << "Pike: '" << pattern.source() << "' in '" << text << "'";
    if (const captures::OnePass* one_pass = compiled.one_pass()) {
      one_passes++;
      const size_t at = expected.empty() ? 0 : expected[0].begin;
      found.assign(pattern.groups() + 1, Capture());
      if (!one_pass->match_at(text, at, found)) found.clear();
      ASSERT_EQ(show(found), show(expected)) << "one pass: '" << pattern.source() << "' in '" << text << "'";
    }
    found.resize(pattern.groups() + 1);
    if (!find_captures(pattern, text, 0, found, context)) found.clear();
    ASSERT_EQ(show(found), show(expected))
        << "find_captures: '" << pattern.source() << "' in '" << text << "'";
    for (size_t from = 0; from <= text.size(); ++from) {
      std::vector<Capture> other(pattern.groups() + 1);
      found.resize(pattern.groups() + 1);
      if (!tagged->find(text, from, found)) found.clear();
      if (!find_captures(pattern, text, from, other, context)) other.clear();
      ASSERT_EQ(show(found), show(from == 0 ? expected : other))
          << "tagged: '" << pattern.source() << "' in '" << text << "' from " << from;
    }
  }
};

/// With three nested repetitions, one of them lazy, RE2 may repeat an expression that can be empty although
/// nothing requires it, as in (?:(?:(a)?\?)*)+? and a(?:((?:a)*)*?)*; Perl does not, and neither do we.
bool re2_differs(const std::string& pattern) {
  static const RE2 kThree(R"((?:\)[*+?].*){3})"), kLazy(R"(\)[*+?]\?)");
  return RE2::PartialMatch(pattern, kThree) && RE2::PartialMatch(pattern, kLazy);
}

struct Exhaustive {
  testing::TextColumn column;
  testing::FormCounts counts;
  size_t patterns = 0;
  size_t pairs = 0;     // of pattern and text, each as a search and as a full match, in every form
  size_t captures = 0;  // pairs whose groups were compared
  CaptureCheck capture_check;

  /// Every text has at most `max_letters` letters.
  Exhaustive(const std::vector<std::string>& letters, int max_letters)
      : column(testing::all_texts(letters, max_letters), 7) {}

  void check(const std::string& source) {
    if (::testing::Test::HasFailure()) return;
    RE2::Options options;
    options.set_log_errors(false);
    const RE2 oracle(source, options);
    if (!oracle.ok()) {
      EXPECT_THROW(compile_regex(source), UserError) << source << ": RE2 says " << oracle.error();
      return;
    }
    ++patterns;
    for (bool full : {false, true}) {
      RegexOptions how;
      how.full_match = full;
      const Pattern pattern = compile_regex(source, how);
      if (!full) capture_check.begin(pattern);
      std::vector<uint64_t> expected(bits::words(column.size()));
      for (size_t i = 0; i < column.size(); ++i) {
        const std::string& text = column.texts()[i];
        if (full ? RE2::FullMatch(text, oracle) : RE2::PartialMatch(text, oracle))
          bits::set(expected.data(), i);
        if (full || re2_differs(source)) continue;
        capture_check.check(oracle, pattern, text);
        ++captures;
      }
      if (::testing::Test::HasFatalFailure()) return;
      if (!testing::check_every_form(pattern, column, expected, counts)) return;
      pairs += column.size();
    }
  }

  /// Tests every `step`th pattern.
  void check_every(size_t step, testing::PatternGenerator& generator) {
    size_t number = 0;
    generator.each([&](const std::string& source) {
      if (number++ % step == 0) check(source);
    });
  }

  void report(size_t at_least) const {
    std::printf("%zu patterns x %zu texts: %zu pairs, captures of %zu; in all forms:\n", patterns,
                column.size(), pairs, captures);
    counts.print();
    EXPECT_GE(pairs, at_least) << "the test did less than it should";
    EXPECT_GE(capture_check.one_passes, captures / 10) << "hardly a pattern took one pass";
    for (const char* form :
         {"packed/emulated", "packed/emulated/naive", "rows/scalar", "rows/scalar/naive", "rows/interleaved",
          "rows/interleaved/naive", "rows/emulated", "rows/emulated/naive", "lazy/"}) {
      EXPECT_GE(counts.pairs.at(form), pairs / 2) << form << " was left out";
    }
  }
};

TEST(Exhaustive, LettersAndRepetitions) {
  Exhaustive all({"a", "b"}, test_size(3, 4, 6));
  testing::PatternGenerator patterns({"a", "b", "(a)", "."},
                                     {"%1%2", "%1|%2", "(?:%1)*", "(?:%1)+", "(?:%1)?", "(%1)*?", "(?:%1)+?",
                                      "(%1)??", "(?:%1){2}", "(?:%1){1,2}"},
                                     test_size(2, 3), test_size(2, 3, 4));
  all.check_every(test_size(4, 10, 1), patterns);  // all take two minutes of one core
  all.report(test_size(500, 200'000, 400'000));
}

TEST(Exhaustive, Assertions) {
  Exhaustive all({"a", "-", "\n"}, test_size(3, 4, 5));
  testing::PatternGenerator patterns(
      {"a", "-", "^", "$", "\\b", "\\B", "\\A", "\\z", "(?m:^)", "(?m:$)", "(?s:.)"},
      {"%1%2", "%1|%2", "(?:%1)*", "(%1)?"}, test_size(2, 3), test_size(1, 2, 3));
  all.check_every(test_size(1, 4, 1), patterns);
  all.report(test_size(20'000, 500'000, 1'000'000));
}

TEST(Exhaustive, SeveralPatternsAtOnce) {
  const testing::TextColumn column(testing::all_texts({"a", "b"}, test_size(3, 4)), 3);
  struct One {
    std::string source;
    std::vector<uint64_t> hits[2];  // as a search, as a full match
  };
  std::vector<One> all;
  testing::PatternGenerator patterns({"a", "b", "ab", "^", "$"}, {"%1%2", "%1|%2", "(%1)*"}, 2, 1);
  patterns.each([&](const std::string& source) {
    One& one = all.emplace_back(One{source, {}});
    const RE2 oracle(source);
    for (const bool full : {false, true}) {
      one.hits[full].resize(bits::words(column.size()));
      for (size_t i = 0; i < column.size(); ++i) {
        const std::string& text = column.texts()[i];
        if (full ? RE2::FullMatch(text, oracle) : RE2::PartialMatch(text, oracle))
          bits::set(one.hits[full].data(), i);
      }
    }
  });
  testing::FormCounts counts;
  std::mt19937 random(1);
  for (const One& one : all) {
    for (const One& other : all) {
      if (random() % test_size(40, 8, 1) != 0) continue;
      RegexOptions how;
      how.full_match = random() % 2;
      std::vector<uint64_t> expected = one.hits[how.full_match];
      for (size_t w = 0; w < expected.size(); ++w) expected[w] |= other.hits[how.full_match][w];
      const std::vector<std::string> sources{one.source, other.source};
      if (!testing::check_every_form(compile_any(sources, how), column, expected, counts)) return;
    }
  }
  counts.print();
  EXPECT_GE(counts.pairs.at("lazy/"), test_size(1'000, 10'000)) << "the test did less than it should";
}

TEST(Exhaustive, CharactersOfSeveralBytes) {
  // Also text that is not UTF-8: isolated bytes of characters.
  Exhaustive all({"a", "\xC3\xA9", "\xE2\x82\xAC", "\xC3", "\xA9"}, test_size(2, 3, 4));
  testing::PatternGenerator patterns(
      {".", "a", "\xC3\xA9", "[^a]", "[\xC3\xA9-\xE2\x82\xAC]", "\\C", "(?i:\xC3\x89)"},
      {"%1%2", "%1|%2", "(%1)*", "(?:%1)+?"}, test_size(1, 2), 2);
  patterns.each([&](const std::string& p) { all.check(p); });
  all.report(test_size(1'000, 200'000));
}

TEST(Exhaustive, AwkwardSyntax) {
  Exhaustive all({"a", "b", "{", "]"}, test_size(1, 2, 3));
  testing::PatternGenerator patterns(
      {"a",        "b",  "[a]", "[^a]", "[]a]", "[a-]",  "{",        "}",    "(",    ")",
       "|",        "*",  "+?",  "{2}",  "{1,}", "{,2}",  "\\Qa*\\E", "(?i)", "(?U)", "(?-s:",
       "(?P<n>a)", "()", "[",   "]",    "\\",   "\\x61", "\\141",    "^",    "$"},
      {"%1%2"}, test_size(2, 3), 2);
  all.check_every(test_size(3, 4, 1), patterns);
  all.report(test_size(1'000, 200'000, 400'000));
}

}  // namespace
}  // namespace lanewise::text
