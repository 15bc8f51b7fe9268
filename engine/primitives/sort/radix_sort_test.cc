#include "primitives/sort/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/testing/test_size.h"

namespace lanewise {
namespace {

void expect_sorted(std::vector<KeyRow> rows) {
  std::vector<KeyRow> expected = rows;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const KeyRow& a, const KeyRow& b) { return a.key < b.key; });
  std::vector<KeyRow> scratch(rows.size());
  radix_sort(rows, scratch.data());
  ASSERT_TRUE(rows == expected);
}

template <class KeyOf>
std::vector<KeyRow> make(size_t count, KeyOf key_of) {
  std::vector<KeyRow> rows(count);
  for (size_t i = 0; i < count; ++i) rows[i] = {key_of(i), i};
  return rows;
}

TEST(RadixSort, SortsAsStableSortDoes) {
  std::mt19937_64 random(1);
  for (const size_t count : {0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 16384, 16385, 300000}) {
    SCOPED_TRACE(count);
    expect_sorted(make(count, [&](size_t) { return random(); }));
    expect_sorted(make(count, [&](size_t) { return random() % 5; }));
    expect_sorted(make(count, [&](size_t) { return random() % 5 << 61; }));
    expect_sorted(make(count, [&](size_t) { return random() & 0x00ff00f000ff0001; }));
    expect_sorted(
        make(count, [&](size_t) { return random() & 0x5555555555555555; }));  // no two adjacent bits
    expect_sorted(make(count, [](size_t) { return uint64_t{42}; }));
    expect_sorted(make(count, [](size_t i) { return i; }));
    expect_sorted(make(count, [](size_t i) { return i / 3; }));
    expect_sorted(make(count, [&](size_t i) { return i + 1 == count ? 5 : i; }));  // the last one is not
    expect_sorted(make(count, [](size_t i) { return ~i; }));
    expect_sorted(make(count, [](size_t i) { return i == 7 ? ~uint64_t{0} : i % 100; }));  // one outlier
    expect_sorted(
        make(count, [&](size_t) { return uint64_t{1} << (random() % 64); }));  // as skewed as possible
  }
}

TEST(RadixSort, SortsMillionsInParallel) {
  std::mt19937_64 random(2);
  expect_sorted(make(test_size(500'000, 3'000'000), [&](size_t) { return random() % 1'000'000; }));
}

TEST(RadixSort, StopsWhenCancelled) {
  std::vector<KeyRow> rows = make(100000, [](size_t i) { return i * 0x9e3779b97f4a7c15; });
  std::vector<KeyRow> scratch(rows.size());
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_THROW(radix_sort(rows, scratch.data(), &cancellation), CancelledError);
}

}  // namespace
}  // namespace lanewise
