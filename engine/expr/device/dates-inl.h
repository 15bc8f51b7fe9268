#pragma once

#include "expr/device/values-inl.h"

/// Parts of dates (days) and timestamps (microseconds since 1970), as expr/dates/ has them on the host.
namespace lanewise::kernel {

inline constexpr i64 kMicrosPerDay = 86'400'000'000;

LANES_FN i64 floor_div(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }

// Infinite ones stay what they are, and have no parts.
LANES_FN bool is_infinite(i32 days) { return days == highest<i32> || days == -highest<i32>; }
LANES_FN bool is_infinite(i64 micros) { return micros == highest<i64> || micros == -highest<i64>; }

struct Date {
  i64 year;
  i64 month, day;
};

/// After H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
LANES_FN Date civil(i64 days) {
  days += 719468;  // since 0000-03-01
  const i64 era = floor_div(days, 146097);
  const i64 in_era = days - era * 146097;
  const i64 year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const i64 in_year = in_era - (365 * year + year / 4 - year / 100);
  const i64 month = (5 * in_year + 2) / 153;  // March is 0
  return {year + era * 400 + (month >= 10), month < 10 ? month + 3 : month - 9,
          in_year - (153 * month + 2) / 5 + 1};
}
LANES_FN i64 day_of(i32 days) { return days; }
LANES_FN i64 day_of(i64 micros) { return floor_div(micros, kMicrosPerDay); }

template <class T>
LANES_FN i64 year(Outcome& outcome, T value) {
  outcome.null = is_infinite(value);
  return civil(day_of(value)).year;
}
template <class T>
LANES_FN i64 quarter(Outcome& outcome, T value) {
  outcome.null = is_infinite(value);
  return (civil(day_of(value)).month - 1) / 3 + 1;
}
template <class T>
LANES_FN i64 month(Outcome& outcome, T value) {
  outcome.null = is_infinite(value);
  return civil(day_of(value)).month;
}
template <class T>
LANES_FN i64 day(Outcome& outcome, T value) {
  outcome.null = is_infinite(value);
  return civil(day_of(value)).day;
}

/// The beginning of the day.
LANES_FN i64 date_to_timestamp(Outcome& outcome, i32 days) {
  if (is_infinite(days)) return days < 0 ? -highest<i64> : highest<i64>;
  const i128 micros = i128(days) * kMicrosPerDay;
  outcome.failed |= micros > highest<i64> - 1 || micros < 1 - highest<i64>;
  return i64(micros);
}
LANES_FN i32 timestamp_to_date(Outcome&, i64 micros) {
  if (is_infinite(micros)) return micros < 0 ? -highest<i32> : highest<i32>;
  return i32(floor_div(micros, kMicrosPerDay));
}

}  // namespace lanewise::kernel
