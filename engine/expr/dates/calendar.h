#pragma once

#include <cstdint>
#include <optional>

#include "data/format.h"
#include "data/type.h"

/// Calendar arithmetic on days and microseconds since 1970-01-01. Infinite dates and timestamps stay
/// infinite.
namespace lanewise::expr {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
inline constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
inline constexpr int64_t kMicrosPerDay = 24 * kMicrosPerHour;

constexpr int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

constexpr bool is_finite(int64_t timestamp) {
  return timestamp != format::kTimestampInfinity && timestamp != format::kTimestampNegativeInfinity;
}
constexpr bool is_finite_date(int32_t days) {
  return days != format::kDateInfinity && days != format::kDateNegativeInfinity;
}

constexpr bool is_leap_year(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
constexpr int days_in_month(int64_t year, int month) {
  constexpr int8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[month - 1] + (month == 2 && is_leap_year(year) ? 1 : 0);
}

/// format::civil_from_days(), faster for the dates of common use. After C. Neri, L. Schneider, "Euclidean
/// affine functions and their application to calendar algorithms", 2022.
inline format::Date civil(int32_t days) {
  constexpr int32_t kCenturies = 82 * 4;  // the algorithm counts years from -32800 on
  constexpr uint32_t kShift = 719468 + 36524 * kCenturies + kCenturies / 4;
  if (days < -12'000'000 || days > 1'000'000'000) return format::civil_from_days(days);
  const uint32_t in_centuries = 4 * (static_cast<uint32_t>(days) + kShift) + 3;
  const uint32_t century = in_centuries / 146097;
  const uint64_t in_years = uint64_t{2939745} * (in_centuries % 146097 / 4 * 4 + 3);
  const auto day_of_year = static_cast<uint32_t>(in_years) / 2939745 / 4;  // since the 1st of March
  const uint32_t in_months = 2141 * day_of_year + 197913;
  const bool next_year = day_of_year >= 306;
  const auto year =
      static_cast<int32_t>(100 * century + static_cast<uint32_t>(in_years >> 32)) - kCenturies * 100;
  return {year + (next_year ? 1 : 0), static_cast<int32_t>(in_months >> 16) - (next_year ? 12 : 0),
          static_cast<int32_t>((in_months & 0xffff) / 2141) + 1};
}

/// The day number of a civil date, if there is such a day and it is in range.
std::optional<int32_t> make_date(int64_t year, int64_t month, int64_t day);

/// A date and microseconds of the day as a timestamp; nothing if out of range.
std::optional<int64_t> timestamp_of(int32_t days, int64_t micros);
/// A timestamp in `unit`s as microseconds, and back: to coarser units rounded half away from the epoch (from
/// nanoseconds towards it). `nanos` is the remainder below a microsecond. Nothing on overflow.
std::optional<int64_t> micros_in(int64_t timestamp, TimeUnit unit);
std::optional<int64_t> timestamp_in(int64_t micros, int32_t nanos, TimeUnit unit);
/// The date of a timestamp in microseconds.
int32_t date_of(int64_t timestamp);

/// Adds months first (the day is reduced to the month's last one), then days, then whole days of the
/// microseconds. Raises UserError if out of range.
int32_t add_to_date(int32_t days, const Interval& interval);
int64_t add_to_timestamp(int64_t timestamp, const Interval& interval);
/// The same for timestamps with a time zone: a negative time is added first.
int64_t add_to_zoned(int64_t timestamp, const Interval& interval);
/// Wraps around at midnight.
int64_t add_to_time(int64_t micros, const Interval& interval);
/// -interval; raises UserError if it does not fit.
Interval negated(const Interval& interval);
/// Whole days and microseconds of a span.
Interval interval_of(int64_t micros);
/// The span of an interval with months of 30 days; nothing on overflow.
std::optional<int64_t> micros_of(const Interval& interval);

}  // namespace lanewise::expr
