#include "active/active_set.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lanewise {
namespace {

std::vector<uint32_t> rows_of(const ActiveSet& set) {
  std::vector<uint32_t> rows;
  set.for_each([&](uint32_t row) { rows.push_back(row); });
  return rows;
}

/// All three forms contain the same rows.
void expect_rows(const ActiveSet& set, const std::vector<uint32_t>& expected) {
  EXPECT_EQ(set.count(), expected.size());
  EXPECT_EQ(rows_of(set), expected);
  EXPECT_EQ(std::vector<uint32_t>(set.list().begin(), set.list().end()), expected);
  std::vector<uint32_t> from_bits;
  bits::for_each(set.bitmap(), set.rows(),
                 [&](size_t row) { from_bits.push_back(static_cast<uint32_t>(row)); });
  EXPECT_EQ(from_bits, expected);
}

TEST(ActiveSet, NarrowsLikeAFilterOverAList) {
  std::mt19937 random(3);
  for (const uint32_t rows : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u, 1000u}) {
    for (const unsigned share : {1u, 2u, 10u, 100u}) {
      Arena arena;
      ActiveSet set(rows, arena);
      std::vector<uint32_t> expected(rows);
      for (uint32_t row = 0; row < rows; ++row) expected[row] = row;
      expect_rows(set, expected);
      for (int step = 0; step < 3; ++step) {
        std::vector<uint64_t> keep(bits::words(rows) + 1);
        for (uint32_t row = 0; row < rows; ++row) {
          if (random() % share == 0) bits::set(keep.data(), row);
        }
        const bool remove = step == 1;
        std::erase_if(expected, [&](uint32_t row) { return bits::test(keep.data(), row) == remove; });
        const ActiveSet before = set;
        if (remove) {
          set.remove(keep.data());
        } else {
          set.narrow(keep.data());
          expect_rows(before.narrowed(keep.data()), expected);
        }
        expect_rows(set, expected);
      }
      const auto half = static_cast<uint32_t>(expected.size() / 2);
      set.truncate(half);
      expected.resize(half);
      expect_rows(set, expected);
    }
  }
}

TEST(ActiveSet, ChoosesItsFormByDensity) {
  Arena arena;
  ActiveSet set(1024, arena);
  EXPECT_EQ(set.form(), ActiveSet::Form::kAll);
  std::vector<uint64_t> half(17);
  for (uint32_t row = 0; row < 1024; row += 2) bits::set(half.data(), row);
  set.narrow(half.data());
  EXPECT_EQ(set.form(), ActiveSet::Form::kBitmap);
  set.truncate(10);
  EXPECT_EQ(set.form(), ActiveSet::Form::kList);
}

}  // namespace
}  // namespace lanewise
