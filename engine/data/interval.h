#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "data/type.h"

namespace lanewise {

/// An interval with excess micros carried to days and excess days to months: intervals are equal, less and
/// greater in SQL if these are.
struct NormalInterval {
  static constexpr int64_t kDay = 86'400'000'000;  ///< microseconds
  static constexpr int64_t kMonth = 30;            ///< days
  int64_t months;
  int64_t days;
  int64_t micros;
  friend auto operator<=>(const NormalInterval&, const NormalInterval&) = default;
};

inline NormalInterval normalise(const Interval& value) {
  const int64_t days = value.days + value.micros / NormalInterval::kDay;
  return {value.months + days / NormalInterval::kMonth, days % NormalInterval::kMonth,
          value.micros % NormalInterval::kDay};
}

/// The same as an interval, which equal intervals share: what has no room in a unit stays in the next smaller
/// one.
inline Interval normal_form(const Interval& value) {
  const NormalInterval normal = normalise(value);
  const auto within = [](int64_t number) { return std::clamp<int64_t>(number, INT32_MIN, INT32_MAX); };
  const int64_t days = normal.days + (normal.months - within(normal.months)) * NormalInterval::kMonth;
  return {static_cast<int32_t>(within(normal.months)), static_cast<int32_t>(within(days)),
          normal.micros + (days - within(days)) * NormalInterval::kDay};
}

}  // namespace lanewise
