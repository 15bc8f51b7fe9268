#pragma once

#include "data/kernels/values-inl.h"

/// The proleptic Gregorian calendar, on hosts and devices: dates are days, timestamps and times microseconds,
/// since 1970. Infinite ones stay what they are.
namespace lanewise::kernel {

inline constexpr i64 kMicrosPerSecond = 1'000'000;
inline constexpr i64 kMicrosPerMinute = 60 * kMicrosPerSecond;
inline constexpr i64 kMicrosPerHour = 60 * kMicrosPerMinute;
inline constexpr i64 kMicrosPerDay = 24 * kMicrosPerHour;
inline constexpr i64 kNanosPerSecond = 1'000'000'000;

LANES_FN i64 floor_div(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }
LANES_FN i64 floor_mod(i64 a, i64 b) { return a % b + (a % b < 0 ? b : 0); }

LANES_FN bool is_infinite(i32 days) { return days == highest<i32> || days == -highest<i32>; }
LANES_FN bool is_infinite(i64 micros) { return micros == highest<i64> || micros == -highest<i64>; }

/// The first and the last timestamp in units of 1 / per_second that have a text: they and their midnight have
/// 64 bits in microseconds, or in finer units.
LANES_FN constexpr i64 first_midnight(i64 per_second) {
  const i64 finest = per_second < kMicrosPerSecond ? kMicrosPerSecond : per_second;
  return lowest<i64> / (86'400 * finest) * (86'400 * per_second);
}
LANES_FN constexpr i64 last_timestamp(i64 per_second) {
  return per_second < kMicrosPerSecond ? highest<i64> / (kMicrosPerSecond / per_second) : highest<i64>;
}

LANES_FN bool has_text(i64 value, i64 per_second) {
  return is_infinite(value) || (value >= first_midnight(per_second) && value <= last_timestamp(per_second));
}

/// Year 0 is 1 BC; months and days begin with 1.
struct Date {
  i64 year;
  i32 month, day;
};

/// After C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms",
/// 2022.
LANES_FN Date civil(i64 days) {
  constexpr i64 kEras = 740'000'000;  // of 400 years, to count from before the first second of 64 bits
  const u64 in_centuries = 4 * u64(days + 719468 + kEras * 146097) + 3;
  const u64 century = in_centuries / 146097;
  const u64 in_years = u64(2939745) * (u32(in_centuries - century * 146097) | 3);
  const u32 day_of_year = u32(in_years) / 2939745 / 4;  // since the 1st of March
  const u32 in_months = 2141 * day_of_year + 197913;
  const bool next_year = day_of_year >= 306;
  return {i64(100 * century + (in_years >> 32)) - kEras * 400 + next_year,
          i32(in_months >> 16) - (next_year ? 12 : 0), i32((in_months & 0xffff) / 2141) + 1};
}
/// After H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
LANES_FN i64 day_number(i64 year, i64 month, i64 day) {
  year -= month <= 2;
  const i64 era = floor_div(year, 400);
  const i64 of_era = year - era * 400;
  const i64 in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + in_year - 719468;
}
LANES_FN i64 days_in_month(i64 year, i64 month) {
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 ? 28 + leap : 30 + ((month ^ month >> 3) & 1);
}

}  // namespace lanewise::kernel
