#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <type_traits>

#include "base/error.h"
#include "base/int128.h"
#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/states.h"
#include "primitives/kernels.h"

namespace lanewise::ops {

template <class T>
inline constexpr bool kSummable = std::is_same_v<T, int128_t> || (std::is_integral_v<T> && sizeof(T) <= 8);

/// Exact sums per group of integers of type T, in 128 bits.
///
/// For integers of up to 64 bits the low halves are summed as 64-bit numbers, and the high halves exist only
/// once a low half has overflowed: half the memory and half the work.
template <class T>
class IntegerSums {
 public:
  explicit IntegerSums(MemoryBudget* budget) : low_(budget), high_(budget) {}

  void resize(uint32_t groups) {
    low_.resize(groups);
    if (high_.size() != 0) high_.resize(groups);
  }

  void add(const AggregateInput& input, const ActiveSet& rows) {
    const Vector flat = expr::flatten(input.args[0], rows);
    const T* values = flat.as<T>();
    if (input.groups == nullptr) {
      if (rows.none()) return;
      const auto& kernels = kernels::of<T>(input.target);
      put(0, kernels.sum(values, rows.all() ? nullptr : rows.bitmap(), rows.rows()));
      return;
    }
    int64_t* low = low_.data();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) {
      const auto value = static_cast<int64_t>(values[row]);
      const bool over = __builtin_add_overflow(low[group], value, &low[group]);
      if constexpr (std::is_same_v<T, uint64_t>) {  // value is 2^64 too small
        if (value < 0) carry(group, 1);
      }
      if (over) carry(group, value < 0 ? -1 : 1);
    });
  }

  void merge(const IntegerSums& other, std::span<const uint32_t> from, const uint32_t* to) {
    for (size_t i = 0; i < from.size(); ++i) put(to[i], other.total(from[i]));
  }

  int128_t total(uint32_t group) const {
    const int128_t high = high_.size() == 0 ? 0 : high_[group];
    return high * (int128_t{1} << 64) + low_[group];
  }

 private:
  void put(uint32_t group, int128_t value) {
    const int128_t sum = total(group) + value;
    low_[group] = static_cast<int64_t>(sum);
    const auto high = static_cast<int64_t>((sum - low_[group]) >> 64);
    if (high != 0 || high_.size() != 0) {
      high_.resize(static_cast<uint32_t>(low_.size()));
      high_[group] = high;
    }
  }
  [[gnu::noinline]] void carry(uint32_t group, int64_t by) {
    high_.resize(static_cast<uint32_t>(low_.size()));
    high_[group] += by;
  }

  States<int64_t> low_;   // as signed numbers
  States<int64_t> high_;  // the total is high * 2^64 + low
};

/// Sums of 128-bit integers raise UserError on overflow.
template <>
class IntegerSums<int128_t> {
 public:
  explicit IntegerSums(MemoryBudget* budget) : sums_(budget) {}

  void resize(uint32_t groups) { sums_.resize(groups); }
  void add(const AggregateInput& input, const ActiveSet& rows) {
    const Vector flat = expr::flatten(input.args[0], rows);
    const auto* values = flat.as<int128_t>();
    for_each_row(input, rows, [&](uint32_t row, uint32_t group) { put(group, values[row]); });
  }
  void merge(const IntegerSums& other, std::span<const uint32_t> from, const uint32_t* to) {
    for (size_t i = 0; i < from.size(); ++i) put(to[i], other.sums_[from[i]]);
  }
  int128_t total(uint32_t group) const { return sums_[group]; }

 private:
  void put(uint32_t group, int128_t value) {
    int128_t& sum = sums_[group];
    const int128_t before = sum;
    if (__builtin_add_overflow(before, value, &sum)) {
      throw UserError(
          fmt::format("Overflow in HUGEINT addition: {} + {}", to_string(before), to_string(value)));
    }
  }

  States<int128_t> sums_;
};

}  // namespace lanewise::ops
