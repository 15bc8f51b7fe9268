// Reduction and scans on cores against loops, with operators that commute and one that does not.
#include "primitives/scan.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace lanewise {
namespace {

/// The same as loops.
template <class T, class Combine>
std::vector<T> scanned(const std::vector<T>& from, const std::vector<uint8_t>& begins, bool inclusive, T none,
                       Combine combine) {
  std::vector<T> to;
  T value = none;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!begins.empty() && begins[i] != 0) value = none;
    if (!inclusive) to.push_back(value);
    value = combine(value, from[i]);
    if (inclusive) to.push_back(value);
  }
  return to;
}

template <class T, class Combine>
void expect_scan(const std::vector<T>& from, T none, Combine combine, uint64_t every) {
  Random random(every);
  std::vector<uint8_t> begins(from.size());
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < from.size(); ++i) {
    begins[i] = random.below(every) == 0 ? 1 : 0;
    if (begins[i] != 0) offsets.insert(offsets.end(), 1 + random.below(2), i);  // rows without values too
  }
  offsets.push_back(from.size());
  const std::span<const T> values(from);
  const std::vector<T> whole = scanned(from, {}, true, none, combine);
  EXPECT_EQ(reduce(values, none, combine), whole.empty() ? none : whole.back());
  for (const bool inclusive : {true, false}) {
    std::vector<T> to(from.size(), none);
    scan(values, to.data(), inclusive, none, combine);
    EXPECT_EQ(to, scanned(from, {}, inclusive, none, combine)) << from.size();
    const std::vector<T> expected = scanned(from, begins, inclusive, none, combine);
    segmented_scan(values, [&](size_t i) { return begins[i] != 0; }, to.data(), inclusive, none, combine);
    EXPECT_EQ(to, expected) << from.size();
    std::vector<T> in_place = from;
    segmented_scan_rows(std::span<const T>(in_place), offsets, in_place.data(), inclusive, none, combine);
    EXPECT_EQ(in_place, expected) << from.size();
  }
}

TEST(Scans, AreAsLoops) {
  const size_t window = scans::kPart * scans::kParts;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{31}, size_t{32}, size_t{33}, size_t{63}, size_t{64},
                             size_t{65}, scans::kPart - 1, scans::kPart + 1, window, 2 * window + 12'345}) {
    for (const uint64_t every : {uint64_t{1}, uint64_t{7}, uint64_t{100'000}}) {
      Random random(count);
      std::vector<uint64_t> numbers;
      for (size_t i = 0; i < count; ++i) numbers.push_back(random.next());
      expect_scan(numbers, uint64_t{0}, [](uint64_t a, uint64_t b) { return a + b; }, every);
      expect_scan(numbers, uint64_t{0}, [](uint64_t a, uint64_t b) { return std::max(a, b); }, every);
      // The last one that is not 0.
      for (uint64_t& number : numbers) number %= 3;
      expect_scan(numbers, uint64_t{0}, [](uint64_t a, uint64_t b) { return b == 0 ? a : b; }, every);
    }
  }
}

TEST(Scans, OfWordsSideBySide) {
  for (const size_t count : {0, 1, 5, 64, 300}) {
    std::vector<std::string> letters;
    for (size_t i = 0; i < count; ++i) letters.emplace_back(1, static_cast<char>('a' + i % 26));
    expect_scan(letters, std::string(), std::plus<>(), 10);
  }
}

TEST(Scans, SumsOfRealsDoNotDependOnThreads) {
  std::vector<double> reals;
  for (size_t i = 0; i < 300'000; ++i) reals.push_back(1.0 / static_cast<double>(i + 1));
  const auto sums = [&](int threads) {
    std::vector<double> to(reals.size());
    with_threads(threads, [&] {
      scan(std::span<const double>(reals), to.data(), true, 0.0, std::plus<>());
      to.push_back(reduce(std::span<const double>(reals), 0.0, std::plus<>()));
    });
    return to;
  };
  EXPECT_EQ(sums(1), sums(3));
}

}  // namespace
}  // namespace lanewise
