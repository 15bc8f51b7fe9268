#include <array>
#include <cmath>

#include <fmt/format.h>

#include "expr/arithmetic/operators.h"
#include "expr/dates/calendar.h"
#include "expr/dates/groups.h"
#include "expr/evaluation/loops.h"
#include "expr/signature.h"

namespace lanewise::expr {

namespace {

template <Sign sign, class T>
T checked(T a, T b, std::string_view type) {
  T result;
  if (overflows<sign>(a, b, result)) overflow(sign, type, number_text(a), number_text(b));
  return result;
}

template <Sign sign>
Interval intervals(const Site&, Interval a, Interval b) {
  return {checked<sign>(a.months, b.months, "INT32"), checked<sign>(a.days, b.days, "INT32"),
          checked<sign>(a.micros, b.micros, "INT64")};
}
Interval negative_interval(const Site&, Interval a) { return negated(a); }

int64_t at(int32_t days, int64_t micros) {
  const std::optional<int64_t> result = timestamp_of(days, micros);
  if (!result) throw UserError("Timestamp out of range");
  return *result;
}
int32_t moved(int32_t days, int64_t by) {
  if (!is_finite_date(days)) return days;
  const int64_t result = days + by;
  if (result <= format::kDateNegativeInfinity || result >= format::kDateInfinity)
    throw UserError("Date out of range");
  return static_cast<int32_t>(result);
}

int32_t date_plus_days(const Site&, int32_t date, int32_t days) { return moved(date, days); }
int32_t days_plus_date(const Site&, int32_t days, int32_t date) { return moved(date, days); }
int32_t date_minus_days(const Site&, int32_t date, int32_t days) { return moved(date, -int64_t{days}); }
int64_t date_minus_date(const Site&, int32_t a, int32_t b) { return int64_t{a} - b; }
int64_t date_plus_time(const Site&, int32_t date, int64_t time) { return at(date, time); }
int64_t time_plus_date(const Site&, int64_t time, int32_t date) { return at(date, time); }

int64_t date_plus_interval(const Site&, int32_t date, Interval by) {
  return add_to_timestamp(at(date, 0), by);
}
int64_t interval_plus_date(const Site&, Interval by, int32_t date) {
  return add_to_timestamp(at(date, 0), by);
}
int64_t date_minus_interval(const Site&, int32_t date, Interval by) {
  return add_to_timestamp(at(date, 0), negated(by));
}

int64_t timestamp_plus_interval(const Site&, int64_t a, Interval by) { return add_to_timestamp(a, by); }
int64_t interval_plus_timestamp(const Site&, Interval by, int64_t a) { return add_to_timestamp(a, by); }
int64_t timestamp_minus_interval(const Site&, int64_t a, Interval by) {
  return add_to_timestamp(a, negated(by));
}
int64_t zoned_plus_interval(const Site&, int64_t a, Interval by) { return add_to_zoned(a, by); }
int64_t interval_plus_zoned(const Site&, Interval by, int64_t a) { return add_to_zoned(a, by); }
int64_t zoned_minus_interval(const Site&, int64_t a, Interval by) { return add_to_zoned(a, negated(by)); }
Interval timestamp_minus_timestamp(const Site&, int64_t a, int64_t b) {
  if (!is_finite(a) || !is_finite(b)) throw UserError("Cannot subtract infinite timestamps");
  int64_t micros;
  if (__builtin_sub_overflow(a, b, &micros)) throw UserError("Timestamp difference is out of bounds");
  return interval_of(micros);
}

int64_t time_plus_interval(const Site&, int64_t a, Interval by) { return add_to_time(a, by); }
int64_t interval_plus_time(const Site&, Interval by, int64_t a) { return add_to_time(a, by); }
int64_t time_minus_interval(const Site&, int64_t a, Interval by) {
  return add_to_time(a, {0, 0, -(by.micros % kMicrosPerDay)});
}

Interval times_integer(const Site&, Interval a, int64_t factor) {
  const auto small = static_cast<int32_t>(factor);
  if (small != factor) {
    throw UserError(
        fmt::format("Type INT64 with value {} can't be cast because the value is out of range for the "
                    "destination type INT32",
                    factor));
  }
  return {checked<Sign::kTimes>(a.months, small, "INT32"), checked<Sign::kTimes>(a.days, small, "INT32"),
          checked<Sign::kTimes>(a.micros, factor, "INT64")};
}
Interval integer_times(const Site& site, int64_t factor, Interval a) {
  return times_integer(site, a, factor);
}

bool fits_int32(double value) { return value >= INT32_MIN && value <= INT32_MAX; }
/// Seconds, rounded to microseconds.
double rounded_micros(double seconds) { return std::nearbyint(seconds * 1e6) / 1e6; }

/// Fractions of months are converted to days (30 each), fractions of days to microseconds, as in PostgreSQL.
bool scale(const Interval& a, double factor, Interval& result) {
  constexpr double kSecondsPerDay = 86'400;
  const double months = a.months * factor;
  const double days = a.days * factor;
  if (!fits_int32(months) || !fits_int32(days)) return false;  // false also for NaN
  result.months = static_cast<int32_t>(months);
  result.days = static_cast<int32_t>(days);
  const double month_rest = rounded_micros((months - result.months) * 30);
  const auto day_rest = static_cast<int32_t>(month_rest);
  double seconds = rounded_micros((days - result.days + month_rest - day_rest) * kSecondsPerDay);
  if (std::fabs(seconds) >= kSecondsPerDay) {
    const auto whole = static_cast<int32_t>(seconds / kSecondsPerDay);
    result.days += whole;
    seconds -= whole * kSecondsPerDay;
  }
  if (__builtin_add_overflow(result.days, day_rest, &result.days)) return false;
  const double micros = std::nearbyint(static_cast<double>(a.micros) * factor + seconds * 1e6);
  if (!(micros >= -9223372036854775808.0 && micros < 9223372036854775808.0)) return false;
  result.micros = static_cast<int64_t>(micros);
  return true;
}
Interval times_real(const Site&, Interval a, double factor) {
  Interval result;
  if (!scale(a, factor, result)) throw UserError("Overflow in multiplication of INTERVAL.");
  return result;
}
Interval real_times(const Site& site, double factor, Interval a) { return times_real(site, a, factor); }
std::optional<Interval> divided_by(const Site&, Interval a, double divisor) {
  if (divisor == 0) return std::nullopt;
  Interval result;
  if (!scale(a, 1.0 / divisor, result)) throw UserError("Overflow in INTERVAL division");
  return result;
}

template <auto f, FixedText device, TypeId result, TypeId... args>
constexpr Function date_entry(std::string_view name, std::string_view documentation,
                              std::string_view example) {
  return {.name = name,
          .raises = true,
          .resolve = takes_exactly<result, args...>,
          .evaluate = evaluate_each<f>,
          .reference = reference_each<f>,
          .device = on_device<device, "intervals", true>,
          .documentation = documentation,
          .example = example};
}

using enum TypeId;
constexpr std::string_view kLater = "Later by the interval; a day past the month's end becomes its last day.";
constexpr std::string_view kEarlier =
    "Earlier by the interval; a day past the month's end becomes its last day.";

constexpr std::array kDateArithmeticTable = {
    date_entry<&date_plus_days, "date_plus_days", kDate, kDate, kInt32>("+", "The date n days later.",
                                                                        "DATE '2024-02-28' + 2"),
    date_entry<&days_plus_date, "days_plus_date", kDate, kInt32, kDate>("+", "The date n days later.",
                                                                        "2 + DATE '2024-02-28'"),
    date_entry<&date_plus_time, "date_plus_time", kTimestamp, kDate, kTime>(
        "+", "The timestamp of a date and a time.", "DATE '2024-02-29' + TIME '12:34:56'"),
    date_entry<&time_plus_date, "time_plus_date", kTimestamp, kTime, kDate>(
        "+", "The timestamp of a date and a time.", "TIME '12:34:56' + DATE '2024-02-29'"),
    date_entry<&date_plus_interval, "date_plus_interval", kTimestamp, kDate, kInterval>(
        "+", kLater, "DATE '2024-01-31' + INTERVAL 1 MONTH"),
    date_entry<&interval_plus_date, "interval_plus_date", kTimestamp, kInterval, kDate>(
        "+", kLater, "INTERVAL 1 MONTH + DATE '2024-01-31'"),
    date_entry<&timestamp_plus_interval, "timestamp_plus_interval", kTimestamp, kTimestamp, kInterval>(
        "+", kLater, "TIMESTAMP '2024-02-28 12:00:00' + INTERVAL '1 day 12:00:00'"),
    date_entry<&interval_plus_timestamp, "interval_plus_timestamp", kTimestamp, kInterval, kTimestamp>(
        "+", kLater, "INTERVAL '1 day 12:00:00' + TIMESTAMP '2024-02-28 12:00:00'"),
    date_entry<&zoned_plus_interval, "zoned_plus_interval", kTimestampTz, kTimestampTz, kInterval>(
        "+", kLater, "TIMESTAMPTZ '2024-02-28 12:00:00+00' + INTERVAL 1 MONTH"),
    date_entry<&interval_plus_zoned, "interval_plus_zoned", kTimestampTz, kInterval, kTimestampTz>(
        "+", kLater, "INTERVAL 1 MONTH + TIMESTAMPTZ '2024-02-28 12:00:00+00'"),
    date_entry<&time_plus_interval, "time_plus_interval", kTime, kTime, kInterval>(
        "+", "Later by the interval; it wraps around at midnight.", "TIME '23:00:00' + INTERVAL 2 HOURS"),
    date_entry<&interval_plus_time, "interval_plus_time", kTime, kInterval, kTime>(
        "+", "Later by the interval; it wraps around at midnight.", "INTERVAL 2 HOURS + TIME '23:00:00'"),
    date_entry<&intervals<Sign::kPlus>, "interval_plus_interval", kInterval, kInterval, kInterval>(
        "+", "The sum of months, of days and of times.", "INTERVAL 1 MONTH + INTERVAL 2 DAYS"),
    date_entry<&date_minus_date, "date_minus_date", kInt64, kDate, kDate>(
        "-", "The days between.", "DATE '2024-03-01' - DATE '2024-02-01'"),
    date_entry<&date_minus_days, "date_minus_days", kDate, kDate, kInt32>("-", "The date n days earlier.",
                                                                          "DATE '2024-03-01' - 1"),
    date_entry<&date_minus_interval, "date_minus_interval", kTimestamp, kDate, kInterval>(
        "-", kEarlier, "DATE '2024-03-31' - INTERVAL 1 MONTH"),
    date_entry<&timestamp_minus_timestamp, "timestamp_minus_timestamp", kInterval, kTimestamp, kTimestamp>(
        "-", "The days and time between.",
        "TIMESTAMP '2024-03-01 12:00:00' - TIMESTAMP '2024-02-28 13:00:00'"),
    date_entry<&timestamp_minus_timestamp, "timestamp_minus_timestamp", kInterval, kTimestampTz,
               kTimestampTz>("-", "The days and time between.",
                             "TIMESTAMPTZ '2024-03-01 12:00:00+00' - TIMESTAMPTZ '2024-02-28 13:00:00+00'"),
    date_entry<&timestamp_minus_interval, "timestamp_minus_interval", kTimestamp, kTimestamp, kInterval>(
        "-", kEarlier, "TIMESTAMP '2024-03-31 12:00:00' - INTERVAL '1 month 13:00:00'"),
    date_entry<&zoned_minus_interval, "zoned_minus_interval", kTimestampTz, kTimestampTz, kInterval>(
        "-", kEarlier, "TIMESTAMPTZ '2024-03-31 12:00:00+00' - INTERVAL 1 MONTH"),
    date_entry<&time_minus_interval, "time_minus_interval", kTime, kTime, kInterval>(
        "-", "Earlier by the interval; it wraps around at midnight.", "TIME '01:00:00' - INTERVAL 2 HOURS"),
    date_entry<&intervals<Sign::kMinus>, "interval_minus_interval", kInterval, kInterval, kInterval>(
        "-", "The difference of months, of days and of times.", "INTERVAL 1 MONTH - INTERVAL 2 DAYS"),
    date_entry<&negative_interval, "negative_interval", kInterval, kInterval>("-", "The interval backwards.",
                                                                              "-INTERVAL '1 day 02:00:00'"),
    date_entry<&times_integer, "times_integer", kInterval, kInterval, kInt64>(
        "*", "The interval multiplied by a number.", "INTERVAL 3 DAYS * 2"),
    date_entry<&integer_times, "integer_times", kInterval, kInt64, kInterval>(
        "*", "The interval multiplied by a number.", "2 * INTERVAL 3 DAYS"),
    date_entry<&times_real, "times_real", kInterval, kInterval, kFloat64>(
        "*", "The interval multiplied by a number; fractions of months become days, fractions of days hours.",
        "INTERVAL 1 MONTH * 1.55"),
    date_entry<&real_times, "real_times", kInterval, kFloat64, kInterval>(
        "*", "The interval multiplied by a number; fractions of months become days, fractions of days hours.",
        "1.55 * INTERVAL 1 MONTH"),
    date_entry<&divided_by, "divided_by", kInterval, kInterval, kFloat64>(
        "/", "A part of the interval; NULL for division by zero.", "INTERVAL 1 YEAR / 7"),
};

}  // namespace

std::span<const Function> interval_arithmetic() { return kDateArithmeticTable; }

}  // namespace lanewise::expr
