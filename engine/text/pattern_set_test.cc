#include "text/pattern_set.h"

#include <gtest/gtest.h>

#include <map>

#include "base/bits.h"
#include "base/error.h"
#include "base/testing/test_size.h"
#include "text/testing/mixed_patterns.h"
#include "text/testing/text_column.h"

namespace lanewise::text {
namespace {

using Which = PatternSet::Which;

/// Every matcher of the set that this machine supports, by name.
std::map<std::string, SetMatcher> every_matcher(const PatternSet& set) {
  std::map<std::string, SetMatcher> matchers;
  for (const char* form : {"packed", "rows"}) {
    for (lanes::Target target : lanes::supported_targets()) {
      for (uint32_t refill_below : {0u, 1u}) {
        const std::string lanes(lanes::name(target));
        try {
          matchers.emplace(form + ("/" + lanes) + (refill_below ? "/naive" : ""),
                           SetMatcher(set, {form, lanes, refill_below}));
        } catch (const UserError&) {
          // Not offered for this set.
        }
      }
    }
  }
  return matchers;
}

/// The patterns that a text matches, tested one by one.
uint64_t expected_set(const std::vector<Matcher>& matchers, std::string_view text, Which which) {
  uint64_t set = 0;
  for (size_t i = 0; i < matchers.size(); ++i) {
    if (!matchers[i].match(text)) continue;
    set |= uint64_t{1} << i;
    if (which == Which::kFirst) break;
  }
  return set;
}

void check_set(const std::vector<Pattern>& patterns, Which which, const testing::TextColumn& column,
               const uint64_t* active, std::map<std::string, size_t>& runs) {
  const std::optional<PatternSet> set = PatternSet::make(patterns, which);
  ASSERT_TRUE(set.has_value());
  const std::vector<Matcher> alone(patterns.begin(), patterns.end());
  std::vector<uint64_t> expected;
  for (const std::string& text : column.texts()) {
    expected.push_back(expected_set(alone, text, which));
    EXPECT_EQ(set->patterns(set->match(text)), expected.back()) << text;
  }
  const lanes::StringRows layouts[] = {column.narrow(), column.wide(), column.lines()};
  for (const auto& [name, matcher] : every_matcher(*set)) {
    std::vector<uint64_t> hits(bits::words(column.size()), ~uint64_t{0});
    std::vector<uint8_t> codes(column.size(), 0);
    matcher.match(layouts[runs[name]++ % 3], active, hits.data(), codes.data());
    for (size_t i = 0; i < column.size(); ++i) {
      const uint64_t wanted = active && !bits::test(active, i) ? 0 : expected[i];
      ASSERT_EQ(bits::test(hits.data(), i), wanted != 0)
          << name << ", row " << i << " '" << column.texts()[i] << "'";
      ASSERT_EQ(set->patterns(codes[i]), wanted) << name << ", row " << i << " '" << column.texts()[i] << "'";
    }
    for (size_t i = column.size(); i < hits.size() * 64; ++i)
      ASSERT_FALSE(bits::test(hits.data(), i)) << name;
  }
}

TEST(PatternSet, SaysWhichPatternsMatch) {
  const testing::TextColumn column(testing::all_texts({"a", "b", "\xC3\xA9"}, 5), 5);
  std::mt19937 random(18);
  std::vector<uint64_t> some(bits::words(column.size()));
  std::map<std::string, size_t> runs;
  for (int i = 0; i < test_size(15, 150, 3000) && !HasFailure(); ++i) {
    std::vector<Pattern> patterns = testing::random_patterns(random, 4);
    patterns.push_back(testing::random_pattern(random));
    for (uint64_t& word : some) word = random() * uint64_t{random()};
    check_set(patterns, i % 2 ? Which::kFirst : Which::kAll, column, i % 3 ? nullptr : some.data(), runs);
  }
  for (lanes::Target target : lanes::supported_targets()) {
    if (target == lanes::Target::automatic) continue;
    const std::string lanes(lanes::name(target));
    EXPECT_GT(runs["packed/" + lanes] + runs["rows/" + lanes], 0u) << lanes;
    EXPECT_GT(runs["packed/" + lanes + "/naive"] + runs["rows/" + lanes + "/naive"], 0u) << lanes;
  }
}

TEST(PatternSet, OfManyPatternsAndOfPatternsThatAllMatch) {
  const testing::TextColumn column({"", "a1", "b22", "c", std::string(70'000, 'x') + "b22", "zz"});
  std::map<std::string, size_t> runs;
  std::vector<Pattern> each;
  for (char c = 'a'; c <= 'z'; ++c) each.push_back(compile_like(std::string(1, c) + "%"));
  check_set(each, Which::kFirst, column, nullptr, runs);
  each.push_back(compile_like("%"));
  check_set(each, Which::kAll, column, nullptr, runs);
  check_set({compile_like("%"), compile_like("%a%")}, Which::kFirst, column, nullptr, runs);
  check_set({compile_like("%a%"), compile_like("%")}, Which::kAll, column, nullptr, runs);
  check_set({compile_regex("[^\\x{0}-\\x{10FFFF}]")}, Which::kAll, column, nullptr, runs);  // matches nothing
}

TEST(PatternSet, KeepsToTheLimits) {
  std::vector<Pattern> many;
  for (char c = 'a'; c < 'a' + 20; ++c)
    many.push_back(compile_like("%" + std::string(3, c) + "%" + std::string(3, c) + "%"));
  EXPECT_FALSE(PatternSet::make(many, Which::kAll).has_value());
  EXPECT_FALSE(
      PatternSet::make(std::vector(1, compile_regex("(a|b)*a(a|b){20}")), Which::kFirst).has_value());
  const auto set = PatternSet::make(std::vector(1, compile_like("%a%")), Which::kFirst);
  EXPECT_THROW(SetMatcher(*set, {"lazy", ""}), UserError);
  EXPECT_THROW(SetMatcher(*set, {"", "no lanes"}), UserError);
}

}  // namespace
}  // namespace lanewise::text
