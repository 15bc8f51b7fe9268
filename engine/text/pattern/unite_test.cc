#include <gtest/gtest.h>

#include <random>

#include "base/testing/test_size.h"
#include "text/testing/every_form.h"
#include "text/testing/mixed_patterns.h"
#include "text/testing/text_column.h"

namespace lanewise::text {
namespace {

TEST(Unite, MatchesWhereOneDoes) {
  const testing::TextColumn column(testing::all_texts({"a", "b", "\xC3\xA9"}, 5), 5);
  testing::FormCounts counts;
  auto check = [&](const std::vector<Pattern>& patterns) {
    std::vector<uint64_t> expected(bits::words(column.size())), hits(expected.size());
    for (const Pattern& pattern : patterns) {
      MatchContext context;
      Matcher(pattern).match(column.narrow(), nullptr, hits.data(), context);
      for (size_t word = 0; word < hits.size(); ++word) expected[word] |= hits[word];
    }
    testing::check_every_form(unite(patterns), column, expected, counts);
  };
  // Even without random ones: a literal, a sequence, sets of both.
  check({compile_like("%ab%")});
  check({compile_like("%a_b%a%")});
  check({compile_like("%ab%"), compile_like("%bba%")});
  check({compile_like("%ab%ba%"), compile_like("b%"), compile_regex("a+$")});
  std::mt19937 random(17);
  for (int i = 0; i < test_size(30, 400, 4000) && !HasFailure(); ++i)
    check(testing::random_patterns(random, 4));
  for (const char* form :
       {"contains/avx512", "sequences/emulated", "packed/emulated", "rows/scalar", "lazy/"}) {
    if (std::string_view(form).ends_with("avx512") && !lanes::supported(lanes::Target::avx512)) continue;
    EXPECT_GT(counts.patterns[form], 0u) << form;
  }
}

TEST(Unite, KeepsToTheLimits) {
  const std::vector<Pattern> patterns(3, compile_regex("a{900}b"));
  EXPECT_THROW(unite(patterns, {.program_size = 1000}), UserError);
  EXPECT_THROW(unite(patterns, {.pattern_bytes = 10}), UserError);
}

}  // namespace
}  // namespace lanewise::text
