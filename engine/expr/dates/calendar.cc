#include "expr/dates/calendar.h"

#include <algorithm>

#include "base/error.h"

namespace lanewise::expr {

std::optional<int32_t> make_date(int64_t year, int64_t month, int64_t day) {
  constexpr int64_t kYears = 5'900'000;  // beyond the range of 32-bit days
  if (month < 1 || month > 12 || day < 1 || year < -kYears || year > kYears) return std::nullopt;
  if (day > days_in_month(year, static_cast<int>(month))) return std::nullopt;
  const int64_t days = format::days_from_civil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
  if (days <= format::kDateNegativeInfinity || days >= format::kDateInfinity) return std::nullopt;
  return static_cast<int32_t>(days);
}

std::optional<int64_t> timestamp_of(int32_t days, int64_t micros) {
  if (!is_finite_date(days))
    return days < 0 ? format::kTimestampNegativeInfinity : format::kTimestampInfinity;
  int64_t result;
  if (__builtin_mul_overflow(int64_t{days}, kMicrosPerDay, &result)) return std::nullopt;
  if (__builtin_add_overflow(result, micros, &result) || !is_finite(result)) return std::nullopt;
  return result;
}

std::optional<int64_t> micros_in(int64_t timestamp, TimeUnit unit) {
  if (!is_finite(timestamp)) return timestamp;
  int64_t micros = timestamp;
  if (unit == TimeUnit::kNano) return timestamp / 1000;
  const int64_t factor = kMicrosPerSecond / format::per_second(unit);
  if (__builtin_mul_overflow(micros, factor, &micros)) return std::nullopt;
  return micros;
}

std::optional<int64_t> timestamp_in(int64_t micros, int32_t nanos, TimeUnit unit) {
  if (!is_finite(micros) || unit == TimeUnit::kMicro) return micros;
  if (unit == TimeUnit::kNano) {
    int64_t result;
    if (__builtin_mul_overflow(micros, 1000, &result) || __builtin_add_overflow(result, nanos, &result))
      return std::nullopt;
    if (!is_finite(result)) return std::nullopt;
    return result;
  }
  const int64_t halves = micros / (kMicrosPerSecond / format::per_second(unit) / 2);
  return (halves < 0 ? halves - 1 : halves + 1) / 2;
}

int32_t date_of(int64_t timestamp) {
  if (!is_finite(timestamp)) return timestamp < 0 ? format::kDateNegativeInfinity : format::kDateInfinity;
  return static_cast<int32_t>(floor_div(timestamp, kMicrosPerDay));
}

int32_t add_to_date(int32_t days, const Interval& interval) {
  if (!is_finite_date(days)) return days;
  int64_t result = days;
  if (interval.months != 0) {
    const format::Date date = civil(days);
    const int64_t months = int64_t{date.year} * 12 + date.month - 1 + interval.months;
    const int64_t year = floor_div(months, 12);
    const auto month = static_cast<int>(floor_mod(months, 12)) + 1;
    const std::optional<int32_t> moved =
        make_date(year, month, std::min(date.day, days_in_month(year, month)));
    if (!moved) throw UserError("Date out of range: " + std::to_string(year) + "-" + std::to_string(month));
    result = *moved;
  }
  result += interval.days + interval.micros / kMicrosPerDay;
  if (result <= format::kDateNegativeInfinity || result >= format::kDateInfinity)
    throw UserError("Date out of range");
  return static_cast<int32_t>(result);
}

int64_t add_to_timestamp(int64_t timestamp, const Interval& interval) {
  if (!is_finite(timestamp)) return timestamp;
  const int32_t date = date_of(timestamp);
  const int64_t time = timestamp - date * kMicrosPerDay + interval.micros % kMicrosPerDay;
  const std::optional<int64_t> result =
      timestamp_of(add_to_date(date, interval), time);  // a time below 0 or past midnight changes the date
  if (!result) throw UserError("Date and time not in timestamp range");
  return *result;
}

int64_t add_to_zoned(int64_t timestamp, const Interval& interval) {
  const bool backwards = interval.months < 0 || interval.days < 0 || interval.micros < 0;
  if (!backwards || !is_finite(timestamp)) return add_to_timestamp(timestamp, interval);
  int64_t moved;
  if (__builtin_add_overflow(timestamp, interval.micros, &moved))
    throw UserError("Date and time not in timestamp range");
  return add_to_timestamp(moved, {interval.months, interval.days, 0});
}

int64_t add_to_time(int64_t micros, const Interval& interval) {
  const int64_t moved = micros + interval.micros % kMicrosPerDay;
  if (moved >= kMicrosPerDay) return moved - kMicrosPerDay;
  return moved < 0 ? moved + kMicrosPerDay : moved;
}

Interval negated(const Interval& interval) {
  if (interval.months == INT32_MIN || interval.days == INT32_MIN || interval.micros == INT64_MIN) {
    throw UserError("Overflow in negation of numeric value!");
  }
  return {-interval.months, -interval.days, -interval.micros};
}

Interval interval_of(int64_t micros) {
  return {0, static_cast<int32_t>(micros / kMicrosPerDay), micros % kMicrosPerDay};
}

std::optional<int64_t> micros_of(const Interval& interval) {
  int64_t result;
  const int64_t days = int64_t{interval.months} * 30 + interval.days;
  if (__builtin_mul_overflow(days, kMicrosPerDay, &result)) return std::nullopt;
  if (__builtin_add_overflow(result, interval.micros, &result)) return std::nullopt;
  return result;
}

}  // namespace lanewise::expr
