#include "study/bench/scan_unoptimised.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "study/data/random.h"

namespace lanewise::cli::bench {
namespace {

TEST(Unoptimised, AgreesWithTheObviousForAnyLength) {
  for (const Unoptimised& level : unoptimised_levels()) {
    for (size_t rows = 1; rows < 300; ++rows) {
      SCOPED_TRACE(testing::Message() << level.name << ", " << rows << " rows");
      Random random(rows);
      std::vector<int32_t> values(rows);
      for (int32_t& value : values)
        value = static_cast<int32_t>(random.below(6)) - (rows % 7 == 0 ? 2'000'000'000 : 0);
      values[rows / 2] = 3;
      std::vector<uint64_t> bitmap((rows + 63) / 64, ~uint64_t{0}), expected(bitmap.size());
      for (size_t i = 0; i < rows; ++i) expected[i / 64] |= uint64_t{values[i] == 3} << i % 64;
      level.filter(values.data(), rows, 3, bitmap.data());
      EXPECT_EQ(bitmap, expected);
      EXPECT_EQ(level.count(bitmap.data(), rows), std::ranges::count(values, 3));
      EXPECT_EQ(level.sum(values.data(), rows), std::accumulate(values.begin(), values.end(), int64_t{0}));
      int32_t least = 0, most = 0;
      level.min_max(values.data(), rows, &least, &most);
      EXPECT_EQ(least, std::ranges::min(values));
      EXPECT_EQ(most, std::ranges::max(values));
    }
  }
}

}  // namespace
}  // namespace lanewise::cli::bench
