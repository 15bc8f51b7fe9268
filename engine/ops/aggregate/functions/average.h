#pragma once

#include <cstdint>

#include "base/int128.h"
#include "data/type.h"
#include "ops/aggregate/functions/to_real.h"

namespace lanewise::ops {

/// Computes an average from an exact sum of integers or decimals and a count. Narrow types are divided as
/// doubles, the others as extended doubles, then rounded.
class AverageRule {
 public:
  explicit AverageRule(Type type) {
    const bool decimal = type.id == TypeId::kDecimal;
    narrow_ =
        decimal ? type.precision <= 4 : width(type.physical()) == 1 || type.physical() == Physical::kInt16;
    for (int digit = 0; decimal && digit < type.scale; ++digit) power_ *= 10;
  }
  double operator()(int128_t total, int64_t count) const {
    const auto power = static_cast<double>(power_);
    if (narrow_)
      return static_cast<double>(static_cast<int64_t>(total)) / (static_cast<double>(count) * power);
    return static_cast<double>(to_real<long double>(total) / (static_cast<long double>(count) * power));
  }

 private:
  bool narrow_;
  int128_t power_ = 1;  // 10^scale of the decimal
};

/// The average of times and timestamps: an integer of their unit, rounded up if the remainder is more
/// than half the count.
inline int64_t average_instant(int128_t total, int64_t count) {
  return static_cast<int64_t>(total / count) + (total % count > count / 2 ? 1 : 0);
}

/// The average of intervals from the sums of their parts: the remainder of months and days is carried to the
/// next smaller unit.
inline Interval average_interval(const Interval& sum, int64_t count) {
  const int64_t days_left = sum.days % count + sum.months % count * 30 % count;
  Interval result;
  result.months = static_cast<int32_t>(sum.months / count);
  result.days = static_cast<int32_t>(sum.days / count + sum.months % count * 30 / count);
  result.micros = sum.micros / count + sum.micros % count + days_left * 86'400'000'000 / count;
  return result;
}
/// The error if the parts of a sum of intervals overflow.
inline constexpr const char* kIntervalsOverflow = "avg: overflow in the sum of intervals";

}  // namespace lanewise::ops
