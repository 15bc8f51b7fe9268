#include <array>

#include <fmt/format.h>

#include "expr/arithmetic/operators.h"
#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/gpu/intervals-inl.h"
#include "expr/signature.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

template <Sign sign, class T>
void check(T a, T b, std::string_view type) {
  T result;
  if (overflows<sign>(a, b, result)) overflow(sign, type, number_text(a), number_text(b));
}

/// Names the component that does not fit.
template <Sign sign>
struct ComponentOverflow {
  [[noreturn]] static void raise(const Site&, const Interval& a, const Interval& b) {
    check<sign>(a.months, b.months, "INT32");
    check<sign>(a.days, b.days, "INT32");
    check<sign>(a.micros, b.micros, "INT64");
    throw InternalError("intervals that do not overflow");
  }
};
struct ProductOverflow {
  [[noreturn]] static void raise(const Site& site, const Interval& a, int64_t factor) {
    const auto small = static_cast<int32_t>(factor);
    if (small != factor) {
      throw UserError(
          fmt::format("Type INT64 with value {} can't be cast because the value is out of range for the "
                      "destination type INT32",
                      factor));
    }
    ComponentOverflow<Sign::kTimes>::raise(site, a, {small, small, factor});
  }
  [[noreturn]] static void raise(const Site& site, int64_t factor, const Interval& a) {
    raise(site, a, factor);
  }
};

using DateRange = Raises<"Date out of range">;
using TimestampRange = Raises<"Timestamp out of range">;
/// A date or timestamp and the interval that is added.
struct LaterRange {
  template <class T>
  [[noreturn]] static void raise(const Site& site, T moment, const Interval& by) {
    const Type type = site.expr.args[site.expr.args[0]->type.id == TypeId::kInterval ? 1 : 0]->type;
    throw UserError(fmt::format("Date out of range: {} {} {}", to_value(type, moment).to_string(),
                                site.expr.function->name, Value(TypeId::kInterval, by).to_string()));
  }
  template <class T>
  [[noreturn]] static void raise(const Site& site, const Interval& by, T moment) {
    raise(site, moment, by);
  }
};
struct DifferenceRange {
  [[noreturn]] static void raise(const Site&, int64_t a, int64_t b) {
    throw UserError(is_finite(a) && is_finite(b) ? "Timestamp difference is out of bounds"
                                                 : "Cannot subtract infinite timestamps");
  }
};
using NegationRange = Raises<"Overflow in negation of numeric value!">;
using ScalingRange = Raises<"Overflow in multiplication of INTERVAL.">;
using QuotientRange = Raises<"Overflow in INTERVAL division">;

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
    date_entry<on_host<&kernel::date_plus_days, DateRange>, "date_plus_days", kDate, kDate, kInt32>(
        "+", "The date n days later.", "DATE '2024-02-28' + 2"),
    date_entry<on_host<&kernel::days_plus_date, DateRange>, "days_plus_date", kDate, kInt32, kDate>(
        "+", "The date n days later.", "2 + DATE '2024-02-28'"),
    date_entry<on_host<&kernel::date_plus_time, TimestampRange>, "date_plus_time", kTimestamp, kDate, kTime>(
        "+", "The timestamp of a date and a time.", "DATE '2024-02-29' + TIME '12:34:56'"),
    date_entry<on_host<&kernel::time_plus_date, TimestampRange>, "time_plus_date", kTimestamp, kTime, kDate>(
        "+", "The timestamp of a date and a time.", "TIME '12:34:56' + DATE '2024-02-29'"),
    date_entry<on_host<&kernel::date_plus_interval, LaterRange>, "date_plus_interval", kTimestamp, kDate,
               kInterval>("+", kLater, "DATE '2024-01-31' + INTERVAL 1 MONTH"),
    date_entry<on_host<&kernel::interval_plus_date, LaterRange>, "interval_plus_date", kTimestamp, kInterval,
               kDate>("+", kLater, "INTERVAL 1 MONTH + DATE '2024-01-31'"),
    date_entry<on_host<&kernel::timestamp_plus_interval, LaterRange>, "timestamp_plus_interval", kTimestamp,
               kTimestamp, kInterval>("+", kLater,
                                      "TIMESTAMP '2024-02-28 12:00:00' + INTERVAL '1 day 12:00:00'"),
    date_entry<on_host<&kernel::interval_plus_timestamp, LaterRange>, "interval_plus_timestamp", kTimestamp,
               kInterval, kTimestamp>("+", kLater,
                                      "INTERVAL '1 day 12:00:00' + TIMESTAMP '2024-02-28 12:00:00'"),
    date_entry<on_host<&kernel::zoned_plus_interval, LaterRange>, "zoned_plus_interval", kTimestampTz,
               kTimestampTz, kInterval>("+", kLater,
                                        "TIMESTAMPTZ '2024-02-28 12:00:00+00' + INTERVAL 1 MONTH"),
    date_entry<on_host<&kernel::interval_plus_zoned, LaterRange>, "interval_plus_zoned", kTimestampTz,
               kInterval, kTimestampTz>("+", kLater,
                                        "INTERVAL 1 MONTH + TIMESTAMPTZ '2024-02-28 12:00:00+00'"),
    date_entry<on_host<&kernel::time_plus_interval>, "time_plus_interval", kTime, kTime, kInterval>(
        "+", "Later by the interval; it wraps around at midnight.", "TIME '23:00:00' + INTERVAL 2 HOURS"),
    date_entry<on_host<&kernel::interval_plus_time>, "interval_plus_time", kTime, kInterval, kTime>(
        "+", "Later by the interval; it wraps around at midnight.", "INTERVAL 2 HOURS + TIME '23:00:00'"),
    date_entry<on_host<&kernel::interval_plus_interval, ComponentOverflow<Sign::kPlus>>,
               "interval_plus_interval", kInterval, kInterval, kInterval>(
        "+", "The sum of months, of days and of times.", "INTERVAL 1 MONTH + INTERVAL 2 DAYS"),
    date_entry<on_host<&kernel::date_minus_date>, "date_minus_date", kInt64, kDate, kDate>(
        "-", "The days between.", "DATE '2024-03-01' - DATE '2024-02-01'"),
    date_entry<on_host<&kernel::date_minus_days, DateRange>, "date_minus_days", kDate, kDate, kInt32>(
        "-", "The date n days earlier.", "DATE '2024-03-01' - 1"),
    date_entry<on_host<&kernel::date_minus_interval, LaterRange>, "date_minus_interval", kTimestamp, kDate,
               kInterval>("-", kEarlier, "DATE '2024-03-31' - INTERVAL 1 MONTH"),
    date_entry<on_host<&kernel::timestamp_minus_timestamp, DifferenceRange>, "timestamp_minus_timestamp",
               kInterval, kTimestamp, kTimestamp>(
        "-", "The days and time between.",
        "TIMESTAMP '2024-03-01 12:00:00' - TIMESTAMP '2024-02-28 13:00:00'"),
    date_entry<on_host<&kernel::zoned_minus_zoned, DifferenceRange>, "zoned_minus_zoned", kInterval,
               kTimestampTz, kTimestampTz>(
        "-", "The days and time between.",
        "TIMESTAMPTZ '2024-03-01 12:00:00+00' - TIMESTAMPTZ '2024-02-28 13:00:00+00'"),
    date_entry<on_host<&kernel::timestamp_minus_interval, LaterRange>, "timestamp_minus_interval", kTimestamp,
               kTimestamp, kInterval>("-", kEarlier,
                                      "TIMESTAMP '2024-03-31 12:00:00' - INTERVAL '1 month 13:00:00'"),
    date_entry<on_host<&kernel::zoned_minus_interval, LaterRange>, "zoned_minus_interval", kTimestampTz,
               kTimestampTz, kInterval>("-", kEarlier,
                                        "TIMESTAMPTZ '2024-03-31 12:00:00+00' - INTERVAL 1 MONTH"),
    date_entry<on_host<&kernel::time_minus_interval>, "time_minus_interval", kTime, kTime, kInterval>(
        "-", "Earlier by the interval; it wraps around at midnight.", "TIME '01:00:00' - INTERVAL 2 HOURS"),
    date_entry<on_host<&kernel::interval_minus_interval, ComponentOverflow<Sign::kMinus>>,
               "interval_minus_interval", kInterval, kInterval, kInterval>(
        "-", "The difference of months, of days and of times.", "INTERVAL 1 MONTH - INTERVAL 2 DAYS"),
    date_entry<on_host<&kernel::negative_interval, NegationRange>, "negative_interval", kInterval, kInterval>(
        "-", "The interval backwards.", "-INTERVAL '1 day 02:00:00'"),
    date_entry<on_host<&kernel::times_integer, ProductOverflow>, "times_integer", kInterval, kInterval,
               kInt64>("*", "The interval multiplied by a number.", "INTERVAL 3 DAYS * 2"),
    date_entry<on_host<&kernel::integer_times, ProductOverflow>, "integer_times", kInterval, kInt64,
               kInterval>("*", "The interval multiplied by a number.", "2 * INTERVAL 3 DAYS"),
    date_entry<on_host<&kernel::times_real, ScalingRange>, "times_real", kInterval, kInterval, kFloat64>(
        "*", "The interval multiplied by a number; fractions of months become days, fractions of days hours.",
        "INTERVAL 1 MONTH * 1.55"),
    date_entry<on_host<&kernel::real_times, ScalingRange>, "real_times", kInterval, kFloat64, kInterval>(
        "*", "The interval multiplied by a number; fractions of months become days, fractions of days hours.",
        "1.55 * INTERVAL 1 MONTH"),
    date_entry<or_null<&kernel::divided_by, QuotientRange>, "divided_by", kInterval, kInterval, kFloat64>(
        "/", "A part of the interval; NULL for division by zero.", "INTERVAL 1 YEAR / 7"),
};

}  // namespace

std::span<const Function> interval_arithmetic() { return kDateArithmeticTable; }

}  // namespace lanewise::expr
