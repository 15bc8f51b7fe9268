#pragma once

#include "expr/gpu/casts-inl.h"
#include "expr/gpu/compare-inl.h"
#include "expr/gpu/dates-inl.h"

/// Intervals, as in expr/dates/ on the host.
namespace lanewise::kernel {

LANES_FN Interval negated(Outcome& outcome, Interval a) {
  return {negative(outcome, a.months), negative(outcome, a.days), negative(outcome, a.micros)};
}

/// Months first (the day is cut to the month's last one), then days, then whole days of the microseconds.
LANES_FN i32 later(Outcome& outcome, i32 days, Interval by) {
  if (is_infinite(days)) return days;
  i32 moved = days;
  if (by.months) {
    const Date date = civil(days);
    const i64 months = date.year * 12 + date.month - 1 + by.months;
    const i64 year = floor_div(months, 12), month = floor_mod(months, 12) + 1,
              last = days_in_month(year, month);
    outcome.failed |= !make_day(year, month, date.day < last ? date.day : last, moved);
  }
  const i64 result = moved + (by.days + by.micros / kMicrosPerDay);
  outcome.failed |= result <= -highest<i32> || result >= highest<i32>;
  return i32(result);
}
LANES_FN i64 later(Outcome& outcome, i64 micros, Interval by) {
  if (is_infinite(micros)) return micros;
  const Moment at = checked_moment(outcome, micros);
  const i64 time = at.micros + by.micros % kMicrosPerDay;
  return timestamp_of(outcome, later(outcome, i32(at.days), by), time);
}
/// The time comes first where a part is negative.
LANES_FN i64 zoned_later(Outcome& outcome, i64 micros, Interval by) {
  const bool backwards = by.months < 0 || by.days < 0 || by.micros < 0;
  if (!backwards || is_infinite(micros)) return later(outcome, micros, by);
  i64 moved;
  Moment at = checked_moment(outcome, micros);
  if (add_overflows(micros, by.micros, moved)) {  // as days it has room
    const i64 time = at.micros + by.micros % kMicrosPerDay;
    at.days += by.micros / kMicrosPerDay + floor_div(time, kMicrosPerDay);
    at.micros = floor_mod(time, kMicrosPerDay);
  } else {
    at = moment_of(moved);
  }
  return timestamp_of(outcome, later(outcome, i32(at.days), Interval{by.months, by.days, 0}), at.micros);
}
/// What is infinite stays so, whatever is subtracted.
LANES_FN i64 earlier(Outcome& outcome, i64 micros, Interval by) {
  return is_infinite(micros) ? micros : later(outcome, micros, negated(outcome, by));
}
/// Wraps around at midnight.
LANES_FN i64 clock_later(i64 micros, i64 by) {
  const i64 moved = i64(u64(micros) + u64(by));
  return moved >= kMicrosPerDay ? moved - kMicrosPerDay : moved < 0 ? moved + kMicrosPerDay : moved;
}

LANES_FN i64 date_plus_interval(Outcome& outcome, i32 date, Interval by) {
  return later(outcome, timestamp_of(outcome, date, 0), by);
}
LANES_FN i64 interval_plus_date(Outcome& outcome, Interval by, i32 date) {
  return date_plus_interval(outcome, date, by);
}
LANES_FN i64 date_minus_interval(Outcome& outcome, i32 date, Interval by) {
  return earlier(outcome, timestamp_of(outcome, date, 0), by);
}
LANES_FN i64 timestamp_plus_interval(Outcome& outcome, i64 a, Interval by) { return later(outcome, a, by); }
LANES_FN i64 interval_plus_timestamp(Outcome& outcome, Interval by, i64 a) { return later(outcome, a, by); }
LANES_FN i64 timestamp_minus_interval(Outcome& outcome, i64 a, Interval by) {
  return earlier(outcome, a, by);
}
LANES_FN i64 zoned_plus_interval(Outcome& outcome, i64 a, Interval by) { return zoned_later(outcome, a, by); }
LANES_FN i64 interval_plus_zoned(Outcome& outcome, Interval by, i64 a) { return zoned_later(outcome, a, by); }
LANES_FN i64 zoned_minus_interval(Outcome& outcome, i64 a, Interval by) {
  return is_infinite(a) ? a : zoned_later(outcome, a, negated(outcome, by));
}
LANES_FN i64 time_plus_interval(Outcome&, i64 a, Interval by) {
  return clock_later(a, by.micros % kMicrosPerDay);
}
LANES_FN i64 interval_plus_time(Outcome&, Interval by, i64 a) {
  return clock_later(a, by.micros % kMicrosPerDay);
}
LANES_FN i64 time_minus_interval(Outcome&, i64 a, Interval by) {
  return clock_later(a, -(by.micros % kMicrosPerDay));
}

LANES_FN Interval timestamp_minus_timestamp(Outcome& outcome, i64 a, i64 b) {
  i64 micros;
  outcome.failed |= is_infinite(a) || is_infinite(b) || subtract_overflows(a, b, micros);
  if (outcome.failed) return {};
  return {0, i32(micros / kMicrosPerDay), micros % kMicrosPerDay};
}
/// Those with a time zone may be further apart than microseconds of 64 bits.
LANES_FN Interval zoned_minus_zoned(Outcome& outcome, i64 a, i64 b) {
  i64 apart;
  outcome.failed |= is_infinite(a) || is_infinite(b);
  if (!subtract_overflows(a, b, apart)) return {0, i32(apart / kMicrosPerDay), apart % kMicrosPerDay};
  const i64 days = a / kMicrosPerDay - b / kMicrosPerDay, micros = a % kMicrosPerDay - b % kMicrosPerDay;
  const i64 day = days > 0 && micros < 0 ? -1 : days < 0 && micros > 0 ? 1 : 0;  // both have one sign
  const i64 rest = micros - day * kMicrosPerDay;
  return {0, i32(days + day + rest / kMicrosPerDay), rest % kMicrosPerDay};
}
LANES_FN Interval interval_plus_interval(Outcome& outcome, Interval a, Interval b) {
  return {plus(outcome, a.months, b.months), plus(outcome, a.days, b.days),
          plus(outcome, a.micros, b.micros)};
}
LANES_FN Interval interval_minus_interval(Outcome& outcome, Interval a, Interval b) {
  return {minus(outcome, a.months, b.months), minus(outcome, a.days, b.days),
          minus(outcome, a.micros, b.micros)};
}
LANES_FN Interval negative_interval(Outcome& outcome, Interval a) { return negated(outcome, a); }
LANES_FN Interval times_integer(Outcome& outcome, Interval a, i64 factor) {
  outcome.failed |= i32(factor) != factor;
  return {times(outcome, a.months, i32(factor)), times(outcome, a.days, i32(factor)),
          times(outcome, a.micros, factor)};
}
LANES_FN Interval integer_times(Outcome& outcome, i64 factor, Interval a) {
  return times_integer(outcome, a, factor);
}

LANES_FN bool fits_i32(f64 value) { return value >= -2147483648.0 && value <= 2147483647.0; }
/// To whole microseconds, in seconds.
LANES_FN f64 whole_micros(f64 seconds) { return nearest(seconds * 1e6) / 1e6; }

/// Fractions of months become days (30 each), fractions of days microseconds.
LANES_FN Interval scaled(Outcome& outcome, Interval a, f64 factor) {
  constexpr f64 kSecondsPerDay = 86'400;
  const f64 months = a.months * factor, days = a.days * factor;
  outcome.failed |= !fits_i32(months) || !fits_i32(days);
  if (outcome.failed) return {};
  Interval result{i32(months), i32(days), 0};
  const f64 month_rest = whole_micros((months - result.months) * 30);
  const i32 day_rest = i32(month_rest);
  f64 seconds = whole_micros((days - result.days + month_rest - day_rest) * kSecondsPerDay);
  if (magnitude(seconds) >= kSecondsPerDay) {
    const i32 whole = i32(seconds / kSecondsPerDay);
    result.days = plus(outcome, result.days, whole);
    seconds -= whole * kSecondsPerDay;
  }
  result.days = plus(outcome, result.days, day_rest);
  const f64 micros = nearest(f64(a.micros) * factor + seconds * 1e6);
  outcome.failed |= !(micros >= -9223372036854775808.0 && micros < 9223372036854775808.0);
  if (outcome.failed) return {};
  result.micros = i64(micros);
  return result;
}
LANES_FN Interval times_real(Outcome& outcome, Interval a, f64 factor) { return scaled(outcome, a, factor); }
LANES_FN Interval real_times(Outcome& outcome, f64 factor, Interval a) { return scaled(outcome, a, factor); }
LANES_FN Interval divided_by(Outcome& outcome, Interval a, f64 divisor) {
  outcome.null = divisor == 0;
  return outcome.null ? Interval{} : scaled(outcome, a, 1.0 / divisor);
}

// Times and timestamps of their parts.
LANES_FN i64 make_time(Outcome& outcome, i64 hour, i64 minute, f64 second) {
  const bool is_second = second * f64(kMicrosPerSecond) > -0.5 && second <= 60.5;
  const i64 whole = is_second ? i64(second) : 0;
  const f64 micros = nearest_away((second - f64(whole)) * f64(kMicrosPerSecond));
  const bool is_midnight = hour == 24 && minute == 0 && whole == 0 && micros == 0;
  const bool is_hour = (hour >= 0 && hour < 24) || is_midnight;
  const bool fits = is_hour && minute >= 0 && minute <= 59 && is_second;
  outcome.failed |= !fits;
  if (!fits) return 0;
  return hour * kMicrosPerHour + minute * kMicrosPerMinute + whole * kMicrosPerSecond + i64(micros);
}
LANES_FN i64 make_timestamp(Outcome& outcome, i64 year, i64 month, i64 day, i64 hour, i64 minute,
                            f64 second) {
  const i32 days = make_date_parts(outcome, year, month, day);
  return timestamp_of(outcome, days, make_time(outcome, hour, minute, second));
}

// Intervals of so many units.
template <i32 kUnit, class T>
LANES_FN i32 units(Outcome& outcome, T count) {
  i64 result;
  outcome.failed |= multiply_overflows(i64(count), i64(kUnit), result) || !in_range<i32>(result);
  return i32(result);
}
/// What has no room in a unit stays in the next smaller one.
LANES_FN Interval normalized(Outcome&, Interval value) {
  const auto within = [](i64 number) -> i64 {
    return number < -highest<i32> - 1 ? -highest<i32> - 1 : number > highest<i32> ? highest<i32> : number;
  };
  const NormalInterval normal = normalised(value);
  const i64 months = within(normal.months);
  const i64 all = normal.days + (normal.months - months) * 30, days = within(all);
  return {i32(months), i32(days), normal.micros + (all - days) * kMicrosPerDay};
}

template <i32 kUnit, class T>
LANES_FN Interval of_months(Outcome& outcome, T count) {
  return {units<kUnit>(outcome, count), 0, 0};
}
template <i32 kUnit, class T>
LANES_FN Interval of_days(Outcome& outcome, T count) {
  return {0, units<kUnit>(outcome, count), 0};
}
template <i64 kUnit>
LANES_FN Interval of_micros(Outcome& outcome, i64 count) {
  return {0, 0, times(outcome, count, kUnit)};
}
template <i64 kUnit>
LANES_FN Interval of_real_micros(Outcome& outcome, f64 count) {
  const f64 product = count * f64(kUnit);
  const bool fits = product >= -9223372036854775808.0 && product < 9223372036854775808.0;
  outcome.failed |= !fits;
  return {0, 0, fits ? i64(nearest(product)) : 0};
}

// Parts: months in units of so many, of which so many count; days; those of the time.
template <i32 kUnit, i32 kCount>
LANES_FN i64 months_of_interval(Outcome&, Interval value) {
  return (kCount ? value.months % kCount : value.months) / kUnit;
}
LANES_FN i64 quarter_of_interval(Outcome&, Interval value) { return value.months % 12 / 3 + 1; }
LANES_FN i64 days_of_interval(Outcome&, Interval value) { return value.days; }
template <auto part>
LANES_FN i64 of_interval(Outcome&, Interval value) {
  return part(Moment{0, value.micros});
}
/// A year has 365.25 days here, a month 30.
LANES_FN f64 epoch_of_interval(Outcome& outcome, Interval value) {
  const i64 quarter_days =
      i64(value.months) / 12 * (365 * 4 + 1) + (value.months % 12 * 30 + i64(value.days)) * 4;
  constexpr i64 kSeconds = 86'400 / 4;  // of a quarter of a day
  return f64(quarter_days * kSeconds) + epoch_of_time(outcome, value.micros);
}

/// In units of 1 / per_second: below microseconds the parts are cut to units one by one; months have 30 days.
LANES_FN i64 epoch_of_span(Outcome& outcome, Interval value, i64 per_second) {
  const i64 months = i64(value.months) * 30, days = value.days;
  if (per_second < kMicrosPerSecond)
    return (months + days) * 86'400 * per_second + clock_in(outcome, value.micros, per_second);
  // Up to 2^24 days and 2^62 microseconds no sum overflows; others are added in this order.
  const u64 far =
      (u64(months + (1 << 24)) | u64(days + (1 << 24))) >> 25 | (u64(value.micros) + (u64(1) << 62)) >> 63;
  if (far == 0) return clock_in(outcome, value.micros + (months + days) * kMicrosPerDay, per_second);
  const i64 micros = plus(outcome, value.micros, times(outcome, months, kMicrosPerDay));
  return clock_in(outcome, plus(outcome, micros, times(outcome, days, kMicrosPerDay)), per_second);
}

// date_trunc: to units below a day, to days, to months.
LANES_FN Interval truncated_span(Outcome&, Interval value, i64 unit) {
  return {value.months, value.days, value.micros / unit * unit};
}
LANES_FN Interval whole_days(Outcome&, Interval value, i32 days) {
  return {value.months, value.days / days * days, 0};
}
LANES_FN Interval whole_months(Outcome&, Interval value, i32 months) {
  return {value.months / months * months, 0, 0};
}

/// The years, months, days and time from `from` to `to`, as a person would count them.
LANES_FN Interval age_between(Outcome& outcome, i64 to, i64 from) {
  const bool backwards = to < from;
  const Moment end = moment_of(to), start = moment_of(from);
  outcome.failed |= (backwards ? to : from) < first_midnight(kMicrosPerSecond);
  const Date a = civil(end.days), b = civil(start.days);
  const i64 sign = backwards ? -1 : 1;
  i64 micros = sign * (end.micros - start.micros);
  i64 days = sign * (a.day - b.day), months = sign * ((a.year - b.year) * 12 + a.month - b.month);
  if (micros < 0) {
    micros += kMicrosPerDay;
    --days;
  }
  const i64 month_days = backwards ? days_in_month(a.year, a.month) : days_in_month(b.year, b.month);
  for (; days < 0; days += month_days) --months;
  return {i32(sign * months), i32(sign * days), sign * micros};
}
LANES_FN Interval age(Outcome& outcome, i64 to, i64 from) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return outcome.null ? Interval{} : age_between(outcome, to, from);
}

// date_sub: whole parts between.

/// Complete months; a start late in its month is complete at the end of a shorter one.
LANES_FN i64 complete_months(Outcome& outcome, i64 from, i64 to) {
  const bool backwards = from > to;
  if (backwards) {
    const i64 other = from;
    from = to;
    to = other;
  }
  const Date end = civil(date_of(to)), start = civil(date_of(from));
  if (days_in_month(end.year, end.month) == end.day) {
    const i64 time = floor_mod(from, kMicrosPerDay);
    if (start.day > end.day || (start.day == end.day && time < floor_mod(to, kMicrosPerDay)))
      from = day_number(start.year, start.month, end.day) * kMicrosPerDay + time;
  }
  const i64 months = age_between(outcome, to, from).months;
  return backwards ? -months : months;
}
LANES_FN i64 months_between(Outcome& outcome, i64 from, i64 to, i64 unit) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return outcome.null ? 0 : complete_months(outcome, from, to) / unit;
}
LANES_FN i64 micros_between(Outcome& outcome, i64 from, i64 to, i64 unit) {
  outcome.null = is_infinite(from) || is_infinite(to);
  return outcome.null ? 0 : minus(outcome, to, from) / unit;
}
LANES_FN i64 times_between(Outcome&, i64 from, i64 to, i64 unit) { return i64(u64(to) - u64(from)) / unit; }
template <auto between>
LANES_FN i64 dates_between(Outcome& outcome, i32 from, i32 to, i64 unit) {
  outcome.null = is_infinite(from) || is_infinite(to);
  if (outcome.null) return 0;
  const i64 a = timestamp_of(outcome, from, 0), b = timestamp_of(outcome, to, 0);
  return outcome.failed ? 0 : between(outcome, a, b, unit);
}

}  // namespace lanewise::kernel
