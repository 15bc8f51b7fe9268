#pragma once

#include "data/kernels/calendar-inl.h"
#include "expr/gpu/arithmetic-inl.h"

/// Functions of dates (days) and timestamps (microseconds since 1970); expr/dates/ calls the same on the
/// host.
namespace lanewise::kernel {

/// Monday is 1, Sunday 7.
LANES_FN i64 iso_day_of_week(i64 days) { return floor_mod(days + 3, 7) + 1; }
/// The Monday on which the ISO year begins.
LANES_FN i64 iso_year_start(i64 year) {
  const i64 first = day_number(year, 1, 1), before = iso_day_of_week(first) - 1;
  return first - before + (before > 3 ? 7 : 0);
}
LANES_FN i64 iso_year(i64 days) {
  const i64 year = civil(days).year;
  return days < iso_year_start(year) ? year - 1 : days >= iso_year_start(year + 1) ? year + 1 : year;
}
LANES_FN i64 iso_week(i64 days) { return (days - iso_year_start(iso_year(days))) / 7 + 1; }
/// Years 1 to 100 are century 1, years 0 to -99 century -1.
LANES_FN i64 period(i64 year, i64 years) { return year > 0 ? (year - 1) / years + 1 : year / years - 1; }

/// The Julian day of 1970-01-01.
inline constexpr i64 kJulianOfEpoch = 2440588;

/// A day and the microseconds since its midnight: what has parts.
struct Moment {
  i64 days, micros;
};

// The parts, by their names in SQL.
LANES_FN i64 millennium(Moment at) { return period(civil(at.days).year, 1000); }
LANES_FN i64 century(Moment at) { return period(civil(at.days).year, 100); }
LANES_FN i64 decade(Moment at) { return civil(at.days).year / 10; }
LANES_FN i64 year(Moment at) { return civil(at.days).year; }
LANES_FN i64 quarter(Moment at) { return (civil(at.days).month - 1) / 3 + 1; }
LANES_FN i64 month(Moment at) { return civil(at.days).month; }
LANES_FN i64 week(Moment at) { return iso_week(at.days); }
LANES_FN i64 day(Moment at) { return civil(at.days).day; }
LANES_FN i64 hour(Moment at) { return at.micros / kMicrosPerHour; }
LANES_FN i64 minute(Moment at) { return at.micros % kMicrosPerHour / kMicrosPerMinute; }
LANES_FN i64 second(Moment at) { return at.micros % kMicrosPerMinute / kMicrosPerSecond; }
LANES_FN i64 millisecond(Moment at) { return at.micros % kMicrosPerMinute / 1000; }
LANES_FN i64 microsecond(Moment at) { return at.micros % kMicrosPerMinute; }
LANES_FN i64 nanosecond(Moment at) { return at.micros % kMicrosPerMinute * 1000; }
LANES_FN i64 dow(Moment at) { return iso_day_of_week(at.days) % 7; }
LANES_FN i64 isodow(Moment at) { return iso_day_of_week(at.days); }
LANES_FN i64 doy(Moment at) { return at.days - day_number(civil(at.days).year, 1, 1) + 1; }
LANES_FN i64 isoyear(Moment at) { return iso_year(at.days); }
LANES_FN i64 yearweek(Moment at) {
  const i64 year = iso_year(at.days), week = iso_week(at.days);
  return year * 100 + (year > 0 ? week : -week);
}
LANES_FN i64 era(Moment at) { return civil(at.days).year > 0; }
LANES_FN i64 timezone(Moment) { return 0; }
LANES_FN i64 timezone_hour(Moment) { return 0; }
LANES_FN i64 timezone_minute(Moment) { return 0; }

template <auto part>
LANES_FN i64 of_date(Outcome& outcome, i32 days) {
  outcome.null = is_infinite(days);
  return part(Moment{days, 0});
}
LANES_FN Moment moment_of(i64 micros) {
  return {floor_div(micros, kMicrosPerDay), floor_mod(micros, kMicrosPerDay)};
}
/// Of a finite timestamp; fails for those of the first day, whose midnight is none.
LANES_FN Moment checked_moment(Outcome& outcome, i64 micros) {
  outcome.failed |= micros < first_midnight(kMicrosPerSecond);
  return moment_of(micros);
}
template <auto part>
LANES_FN i64 of_timestamp(Outcome& outcome, i64 micros) {
  outcome.null = is_infinite(micros);
  return part(moment_of(micros));
}
template <auto part>
LANES_FN i64 of_time(Outcome&, i64 micros) {
  return part(Moment{0, micros});
}
LANES_FN i64 nanosecond_of_nanos(Outcome& outcome, i64 nanos) {
  outcome.null = is_infinite(nanos);
  return floor_mod(nanos, 60 * kNanosPerSecond);
}

// The parts that are not integers.
LANES_FN f64 epoch_of_date(Outcome& outcome, i32 days) {
  outcome.null = is_infinite(days);
  return f64(i64(days) * 86'400);
}
LANES_FN f64 epoch_of_time(Outcome&, i64 micros) { return f64(micros) / f64(kMicrosPerSecond); }
LANES_FN f64 epoch_of_timestamp(Outcome& outcome, i64 micros) {
  outcome.null = is_infinite(micros);
  return epoch_of_time(outcome, micros);
}
LANES_FN f64 epoch_of_zoned(Outcome& outcome, i64 micros) {
  outcome.null = is_infinite(micros);
  return f64(floor_div(micros, 1000)) / 1e3 + f64(floor_mod(micros, 1000)) / 1e6;
}
LANES_FN f64 julian_of_date(Outcome& outcome, i32 days) {
  outcome.null = is_infinite(days);
  return f64(days + kJulianOfEpoch);
}
LANES_FN f64 julian_of_timestamp(Outcome& outcome, i64 micros) {
  outcome.null = is_infinite(micros);
  const f64 time = f64(floor_mod(micros, kMicrosPerDay)) / f64(kMicrosPerDay);
  return time + f64(floor_div(micros, kMicrosPerDay) + kJulianOfEpoch);
}

/// Days and microseconds as a timestamp.
LANES_FN i64 timestamp_of(Outcome& outcome, i32 days, i64 micros) {
  if (is_infinite(days)) return days < 0 ? -highest<i64> : highest<i64>;
  i64 result;  // midnight must be in range, too
  outcome.failed |= multiply_overflows(i64(days), kMicrosPerDay, result);
  outcome.failed |= add_overflows(result, micros, result) || is_infinite(result);
  return result;
}
LANES_FN i32 date_of(i64 micros) {
  if (is_infinite(micros)) return micros < 0 ? -highest<i32> : highest<i32>;
  return i32(floor_div(micros, kMicrosPerDay));
}

// Timestamps in units of 1 / per_second, and back: to coarser units rounded half away from the epoch, from
// nanoseconds towards it.
LANES_FN i64 micros_in(Outcome& outcome, i64 value, i64 per_second) {
  if (is_infinite(value)) return value;
  if (per_second > kMicrosPerSecond) return value / (per_second / kMicrosPerSecond);
  i64 micros;
  outcome.failed |= multiply_overflows(value, kMicrosPerSecond / per_second, micros);
  return micros;
}
/// `nanos` is the rest below a microsecond.
LANES_FN i64 timestamp_in(Outcome& outcome, i64 micros, i32 nanos, i64 per_second) {
  if (is_infinite(micros) || per_second == kMicrosPerSecond) return micros;
  if (per_second > kMicrosPerSecond) {
    i64 result;
    outcome.failed |= multiply_overflows(micros, per_second / kMicrosPerSecond, result);
    outcome.failed |= add_overflows(result, i64(nanos), result) || is_infinite(result);
    return result;
  }
  const i64 halves = micros / (kMicrosPerSecond / per_second / 2);
  return (halves < 0 ? halves - 1 : halves + 1) / 2;
}
LANES_FN i64 timestamp_to_timestamp(Outcome& outcome, i64 value, i64 from, i64 to) {
  if (from != to) return timestamp_in(outcome, micros_in(outcome, value, from), 0, to);
  outcome.failed |= value < first_midnight(from) && !is_infinite(value);  // to or from one with a time zone
  return value;
}
LANES_FN i64 date_to_timestamp(Outcome& outcome, i32 days, i64 per_second) {
  return timestamp_in(outcome, timestamp_of(outcome, days, 0), 0, per_second);
}
LANES_FN i32 timestamp_to_date(Outcome& outcome, i64 value, i64 per_second) {
  return date_of(micros_in(outcome, value, per_second));
}
LANES_FN i64 timestamp_to_time(Outcome& outcome, i64 value, i64 per_second) {
  const i64 micros = micros_in(outcome, value, per_second);
  outcome.failed |= is_infinite(micros);
  return floor_mod(micros, kMicrosPerDay);
}

// date_trunc: the first day of what holds the day.
template <i64 kYears>
LANES_FN i64 start_of_years(i64 days) {
  return day_number(civil(days).year / kYears * kYears, 1, 1);
}
template <i64 kMonths>
LANES_FN i64 start_of_months(i64 days) {
  const Date date = civil(days);
  return day_number(date.year, (date.month - 1) / kMonths * kMonths + 1, 1);
}
LANES_FN i64 start_of_week(i64 days) { return days - (iso_day_of_week(days) - 1); }
LANES_FN i64 start_of_iso_year(i64 days) {
  return start_of_week(days) - (iso_week(start_of_week(days)) - 1) * 7;
}
LANES_FN i64 start_of_day(i64 days) { return days; }

template <auto start>
LANES_FN i64 truncated_date(Outcome& outcome, i32 days) {
  const i64 first = is_infinite(days) ? days : start(days);
  outcome.failed |= first < -highest<i32>;
  return timestamp_of(outcome, i32(first), 0);
}
template <auto start>
LANES_FN i64 truncated_timestamp(Outcome& outcome, i64 micros) {
  return truncated_date<start>(outcome, date_of(micros));
}
/// To parts below a day.
LANES_FN i64 truncated_clock(Outcome& outcome, i64 micros, i64 unit) {
  if (is_infinite(micros)) return micros;
  outcome.failed |= micros < first_midnight(kMicrosPerSecond);
  return outcome.failed ? micros : micros - floor_mod(micros, unit);
}

// date_diff: numbers of the parts; of two days they differ by the boundaries between.
template <i64 kYears>
LANES_FN i64 number_of_years(i64 days) {
  return civil(days).year / kYears;
}
template <i64 kMonths>
LANES_FN i64 number_of_months(i64 days) {
  const Date date = civil(days);
  return (date.year * 12 + date.month - 1) / kMonths;
}

template <auto number>
LANES_FN i64 days_apart(Outcome& outcome, i32 from, i32 to) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return number(to) - number(from);
}
/// Weeks count whole distances.
LANES_FN i64 weeks_apart(Outcome& outcome, i32 from, i32 to) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return (i64(to) - from) / 7;
}
template <auto apart>
LANES_FN i64 timestamps_apart(Outcome& outcome, i64 from, i64 to) {
  return apart(outcome, date_of(from), date_of(to));
}
/// Units of a second and more.
LANES_FN i64 seconds_apart(Outcome& outcome, i32 from, i32 to, i64 unit) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return (i64(to) - from) * (kMicrosPerDay / unit);
}
LANES_FN i64 micros_apart(Outcome& outcome, i32 from, i32 to, i64 unit) {
  outcome.null = is_infinite(from) || is_infinite(to);
  if (outcome.null) return 0;
  const i64 a = timestamp_of(outcome, from, 0), b = timestamp_of(outcome, to, 0);
  return minus(outcome, b / unit, a / unit);
}
LANES_FN i64 clocks_apart(Outcome& outcome, i64 from, i64 to, i64 unit) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return outcome.null ? 0 : minus(outcome, floor_div(to, unit), floor_div(from, unit));
}
LANES_FN i64 times_apart(Outcome&, i64 from, i64 to, i64 unit) {
  return i64(u64(to / unit) - u64(from / unit));
}

// Days and spans that are added.
LANES_FN i32 moved(Outcome& outcome, i32 days, i64 by) {
  if (is_infinite(days)) return days;
  const i64 result = days + by;
  outcome.failed |= result <= -highest<i32> || result >= highest<i32>;
  return i32(result);
}
LANES_FN i32 date_plus_days(Outcome& outcome, i32 date, i32 days) { return moved(outcome, date, days); }
LANES_FN i32 days_plus_date(Outcome& outcome, i32 days, i32 date) { return moved(outcome, date, days); }
LANES_FN i32 date_minus_days(Outcome& outcome, i32 date, i32 days) {
  return moved(outcome, date, -i64(days));
}
LANES_FN i64 date_minus_date(Outcome&, i32 a, i32 b) { return i64(a) - b; }
LANES_FN i64 date_plus_time(Outcome& outcome, i32 date, i64 time) {
  return timestamp_of(outcome, date, time);
}
LANES_FN i64 time_plus_date(Outcome& outcome, i64 time, i32 date) {
  return timestamp_of(outcome, date, time);
}

LANES_FN i32 last_day(Outcome& outcome, i32 days) {
  outcome.null = is_infinite(days);
  if (outcome.null) return 0;
  const Date date = civil(days);
  const i64 last = i64(days) - date.day + days_in_month(date.year, date.month);
  outcome.failed |= last >= highest<i32>;
  return i32(last);
}
LANES_FN i32 last_day(Outcome& outcome, i64 micros) { return last_day(outcome, date_of(micros)); }
template <class T>
LANES_FN bool is_finite_moment(Outcome&, T value) {
  return !is_infinite(value);
}
template <class T>
LANES_FN bool is_infinite_moment(Outcome&, T value) {
  return is_infinite(value);
}
/// Among adjacent names, the one that begins at starts[i].
LANES_FN Text name_at(Text names, const u8* starts, i64 i) {
  return {names.at + starts[i], u64(starts[i + 1] - starts[i])};
}
LANES_FN Text day_name(Outcome& outcome, i32 days) {
  constexpr u8 kStarts[] = {0, 6, 13, 22, 30, 36, 44, 50};
  outcome.null = is_infinite(days);
  return name_at(Literal<"MondayTuesdayWednesdayThursdayFridaySaturdaySunday">::text(50), kStarts,
                 iso_day_of_week(days) - 1);
}
LANES_FN Text month_name(Outcome& outcome, i32 days) {
  constexpr u8 kStarts[] = {0, 7, 15, 20, 25, 28, 32, 36, 42, 51, 58, 66, 74};
  outcome.null = is_infinite(days);
  return name_at(
      Literal<"JanuaryFebruaryMarchAprilMayJuneJulyAugustSeptemberOctoberNovemberDecember">::text(74),
      kStarts, civil(days).month - 1);
}
LANES_FN Text day_name(Outcome& outcome, i64 micros) { return day_name(outcome, date_of(micros)); }
LANES_FN Text month_name(Outcome& outcome, i64 micros) { return month_name(outcome, date_of(micros)); }

LANES_FN i64 epoch_in(Outcome& outcome, i32 days, i64 per_second) {
  outcome.null = is_infinite(days);
  return outcome.null ? 0 : times(outcome, i64(days), 86'400 * per_second);
}
LANES_FN i64 clock_in(Outcome& outcome, i64 micros, i64 per_second) {
  if (per_second <= kMicrosPerSecond) return micros / (kMicrosPerSecond / per_second);
  return times(outcome, micros, per_second / kMicrosPerSecond);
}
LANES_FN i64 epoch_in(Outcome& outcome, i64 micros, i64 per_second) {
  outcome.null = is_infinite(micros);
  return outcome.null ? 0 : clock_in(outcome, micros, per_second);
}
LANES_FN i64 timestamp_of_ms(Outcome& outcome, i64 millis) { return times(outcome, millis, i64(1000)); }
LANES_FN i32 make_date_days(Outcome&, i32 days) { return days; }
LANES_FN i64 make_timestamp_micros(Outcome& outcome, i64 micros) {
  outcome.failed |= is_infinite(micros);
  return micros;
}
/// False if there is no such day.
LANES_FN bool make_day(i64 year, i64 month, i64 day, i32& days) {
  constexpr i64 kYears = 5'900'000;  // days of 32 bits hold fewer
  if (month < 1 || month > 12 || day < 1 || year < -kYears || year > kYears) return false;
  if (day > days_in_month(year, month)) return false;
  const i64 result = day_number(year, month, day);
  days = i32(result);
  return result > -highest<i32> && result < highest<i32>;
}
LANES_FN i32 make_date_parts(Outcome& outcome, i64 year, i64 month, i64 day) {
  i32 days = 0;
  outcome.failed |= !make_day(year, month, day, days);
  return days;
}

}  // namespace lanewise::kernel
