#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "study/bench/text_pattern.h"
#include "study/data/numbers.h"
#include "study/data/random.h"
#include "text/matcher.h"

namespace lanewise::cli::bench {
namespace {

const Checkpoint kNever = [] {};

TEST(BenchNumbers, TheShareIsExact) {
  for (const uint64_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 10'000}) {
    for (const double percent : {0.0, 0.1, 1.0, 25.0, 50.0, 99.9, 100.0}) {
      const auto values = make_numbers<int32_t>(rows, percent, 7, kNever);
      ASSERT_EQ(values.size(), rows);
      const auto targets = static_cast<uint64_t>(std::ranges::count(values, kTarget));
      EXPECT_EQ(targets, static_cast<uint64_t>(std::llround(static_cast<double>(rows) * percent / 100)));
      EXPECT_TRUE(std::ranges::all_of(values, [](int32_t v) { return v >= 0 && v <= 5; }));
    }
  }
}

TEST(BenchNumbers, TheSeedDecidesTheOrder) {
  EXPECT_EQ(make_numbers<int8_t>(1000, 20, 3, kNever), make_numbers<int8_t>(1000, 20, 3, kNever));
  EXPECT_NE(make_numbers<int8_t>(1000, 20, 3, kNever), make_numbers<int8_t>(1000, 20, 4, kNever));
  // A shuffle: no part of the rows holds many more than its share.
  const auto values = make_numbers<double>(100'000, 20, 5, kNever);
  for (size_t first = 0; first < values.size(); first += 10'000) {
    EXPECT_NEAR(static_cast<double>(std::count(&values[first], &values[first] + 10'000, kTarget)), 2000, 200);
  }
}

TEST(BenchNumbers, CanBeCancelled) {
  const Checkpoint cancelled = [] { throw std::runtime_error("cancelled"); };
  EXPECT_THROW(make_numbers<float>(100, 1, 1, cancelled), std::runtime_error);
}

TEST(BenchNumbers, DrawsEveryNumberBelowALimit) {
  Random random(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  EXPECT_THAT(seen, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

class BenchText : public ::testing::TestWithParam<std::tuple<RowTest, const char*>> {
 protected:
  TextShape shape() const {
    const auto& [test, lengths] = GetParam();
    return {test, Lengths::parse(lengths), 10, -1, 2000, 3};
  }
};

TEST_P(BenchText, ExactlyTheStatedShareMatches) {
  for (const double percent : {0.0, 1.0, 10.0, 100.0}) {
    TextShape asked = shape();
    asked.match = percent;
    const TextRows text = make_text_rows(asked, kNever);
    ASSERT_EQ(text.rows(), 2000u);
    ASSERT_EQ(text.bytes.size(), text.size() + 64);
    const text::Matcher matcher(pattern_of(asked));
    text::MatchContext context;
    uint64_t found = 0;
    for (size_t row = 0; row < text.rows(); ++row) found += matcher.match(view(text).row(row), context);
    EXPECT_EQ(found, text.matches);
    EXPECT_EQ(found, static_cast<uint64_t>(20 * percent));
  }
}

TEST_P(BenchText, RowsDifferWhereAsked) {
  TextShape asked = shape();
  if (asked.test == RowTest::regex) GTEST_SKIP() << "no constant to differ from";
  asked.match = 0;
  asked.mismatch = 5;
  const TextRows text = make_text_rows(asked, kNever);
  const std::string needle = needle_of(asked);
  for (size_t row = 0; row < text.rows(); ++row) {
    const std::string_view bytes = view(text).row(row);
    ASSERT_EQ(bytes.substr(0, 5), needle.substr(0, 5));
    ASSERT_NE(bytes[5], needle[5]);
  }
}

TEST_P(BenchText, LengthsAreAsStated) {
  TextShape asked = shape();
  asked.match = 0;
  const TextRows text = make_text_rows(asked, kNever);
  size_t least = SIZE_MAX, greatest = 0, long_rows = 0;
  for (size_t row = 0; row < text.rows(); ++row) {
    const size_t length = view(text).row(row).size();
    least = std::min(least, length);
    greatest = std::max(greatest, length);
    long_rows += length > 120;
  }
  const std::string_view name = std::get<1>(GetParam());
  const std::map<std::string_view, std::pair<size_t, size_t>> kRanges = {
      {"constant", {64, 64}}, {"100", {100, 100}}, {"uniform", {8, 120}}};
  if (name == "skewed") {
    EXPECT_EQ(least, 8u);
    EXPECT_LE(greatest, 1535u);
    EXPECT_NEAR(static_cast<double>(long_rows), 2000.0 / 64, 20);
  } else if (name == "zipf:1") {
    EXPECT_EQ(least, 8u);
    EXPECT_GT(greatest, 900u);
    EXPECT_NEAR(static_cast<double>(long_rows), 2000 * std::log(1017.0 / 113) / (std::log(1017) + 0.577),
                100);
  } else {
    EXPECT_EQ(std::pair(least, greatest), kRanges.at(name));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BenchText,
    ::testing::Combine(::testing::Values(RowTest::equality, RowTest::prefix, RowTest::regex),
                       ::testing::Values("constant", "uniform", "skewed", "zipf:1", "100")));

TEST(BenchText, RefusesOtherLengths) {
  for (const char* text : {"", "0", "3", "-1", "12x", "even", "zipf:9", "10000000"}) {
    EXPECT_THROW(Lengths::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace lanewise::cli::bench
