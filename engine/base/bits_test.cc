#include "base/bits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lanewise {
namespace {

TEST(Bits, AgreeWithBools) {
  std::mt19937_64 random(1);
  for (const size_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 1000}) {
    std::vector<bool> truth(rows);
    std::vector<uint64_t> bitmap(bits::words(rows) + 1);
    size_t ones = 0;
    for (size_t row = 0; row < rows; ++row) {
      if (random() % 3 != 0) continue;
      truth[row] = true;
      bits::set(bitmap.data(), row);
      ++ones;
    }
    EXPECT_EQ(bits::count(bitmap.data(), rows), ones);
    std::vector<bool> seen(rows);
    bits::for_each(bitmap.data(), rows, [&](size_t row) { seen[row] = true; });
    EXPECT_EQ(seen, truth);
    for (size_t first = 0; first <= rows; first += 1 + rows / 13) {
      const size_t count = rows - first;
      std::vector<uint64_t> part(bits::words(count) + 1, ~uint64_t{0});
      bits::copy(bitmap.data(), first, count, part.data());
      for (size_t row = 0; row < count; ++row) ASSERT_EQ(bits::test(part.data(), row), truth[first + row]);
      if (count % 64 == 0) continue;
      EXPECT_EQ(part[count / 64] >> (count % 64), 0) << "bits past the end are zero";
    }
  }
}

TEST(Bits, FillSetsExactlyTheRows) {
  for (const size_t rows : {0, 1, 63, 64, 65, 200}) {
    std::vector<uint64_t> bitmap(bits::words(rows) + 1);
    bits::fill(bitmap.data(), rows);
    EXPECT_EQ(bits::count(bitmap.data(), bitmap.size() * 64), rows);
  }
}

}  // namespace
}  // namespace lanewise
