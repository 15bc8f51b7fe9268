#include <array>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/dates/parts.h"
#include "expr/gpu/intervals-inl.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

using Types = std::span<const Type>;
using Args = std::span<const Vector>;
using Values = std::span<const Value>;

bool is_microseconds(Type type) {
  return type == Type(TypeId::kTimestamp) || type.id == TypeId::kTimestampTz;
}
bool is_real(DatePart part) { return part == DatePart::kEpoch || part == DatePart::kJulian; }
bool is_clock(DatePart part) {
  return (part >= DatePart::kHour && part <= DatePart::kNanosecond) || part == DatePart::kEpoch;
}

/// Whether values of the type have the part.
bool has_part(Type type, DatePart part) {
  if (is_microseconds(type)) return true;
  if (type.id == TypeId::kDate) return part < DatePart::kTimezone;
  if (type == Type::timestamp(TimeUnit::kNano)) return part == DatePart::kNanosecond;
  if (type.id == TypeId::kTime) return is_clock(part);
  return type.id == TypeId::kInterval && part <= DatePart::kEpoch && part != DatePart::kWeek &&
         (part <= DatePart::kNanosecond || part == DatePart::kEpoch);
}

/// The argument of "year" and the like.
template <DatePart part>
std::optional<Type> resolve_one(Types args) {
  if (args.size() != 1 || !has_part(args[0], part)) return std::nullopt;
  return is_real(part) ? TypeId::kFloat64 : TypeId::kInt64;
}
template <DatePart part>
std::shared_ptr<const Prepared> prepare_one(std::span<const ExprPtr>) {
  auto prepared = std::make_shared<PreparedPart>();
  prepared->part = part;
  return prepared;
}

/// date_part(word, x): an integer, except for the constant words "epoch" and "julian".
std::optional<Type> resolve_named(Types args) {
  if (args.size() != 2 || args[0].id != TypeId::kVarchar) return std::nullopt;
  if (!has_part(args[1], DatePart::kHour)) return std::nullopt;
  return TypeId::kInt64;
}
Type refine_named(Type resolved, std::span<const ExprPtr> args) {
  const std::shared_ptr<const Prepared> part = prepare_part(args);
  if (part == nullptr || !is_real(static_cast<const PreparedPart&>(*part).part)) return resolved;
  if (!has_part(args[1]->type, static_cast<const PreparedPart&>(*part).part)) return resolved;
  return TypeId::kFloat64;
}

using Integer = std::optional<int64_t>;

// One argument: the part is prepared.
Integer of_date(const Site& site, int32_t days) {
  return is_finite_date(days) ? Integer(part_of_date(part_in(site.expr, {}), days)) : std::nullopt;
}
Integer of_time(const Site& site, int64_t micros) { return part_of_time(part_in(site.expr, {}), micros); }
Integer of_timestamp(const Site& site, int64_t value) {
  return is_finite(value) ? Integer(part_of_timestamp(part_in(site.expr, {}), value)) : std::nullopt;
}
Integer of_interval(const Site& site, Interval value) {
  return part_of_interval(part_in(site.expr, {}), value);
}

// date_part(word, x). NULL for infinite times, for every word.
Integer named_of_date(const Site& site, std::string_view word, int32_t days) {
  return is_finite_date(days) ? Integer(part_of_date(part_in(site.expr, word), days)) : std::nullopt;
}
Integer named_of_time(const Site& site, std::string_view word, int64_t micros) {
  return part_of_time(part_in(site.expr, word), micros);
}
Integer named_of_timestamp(const Site& site, std::string_view word, int64_t value) {
  return is_finite(value) ? Integer(part_of_timestamp(part_in(site.expr, word), value)) : std::nullopt;
}
Integer named_of_interval(const Site& site, std::string_view word, Interval value) {
  return part_of_interval(part_in(site.expr, word), value);
}

/// Calls `run` with the function for the argument's type: it is evaluate_each or reference_each.
template <auto date, auto time, auto timestamp, auto interval, class Run>
auto run_of(Type type, Run run) {
  switch (type.id) {
    case TypeId::kDate:
      return run.template operator()<date>();
    case TypeId::kTime:
      return run.template operator()<time>();
    case TypeId::kInterval:
      return run.template operator()<interval>();
    default:
      return run.template operator()<timestamp>();
  }
}
/// For dates and timestamps, without a dispatch for each row.
template <auto part, class Run>
auto run_calendar(Type type, Run run) {
  if (type.id == TypeId::kDate) return run.template operator()<or_null<&kernel::of_date<part>>>();
  return run.template operator()<or_null<&kernel::of_timestamp<part>>>();
}
template <class Run>
auto run_one(DatePart part, Type type, Run run) {
  if (type == Type::timestamp(TimeUnit::kNano))
    return run.template operator()<or_null<&kernel::nanosecond_of_nanos>>();
  if (part == DatePart::kJulian && type.id == TypeId::kDate)
    return run.template operator()<or_null<&kernel::julian_of_date>>();
  if (part == DatePart::kJulian) return run.template operator()<or_null<&kernel::julian_of_timestamp>>();
  if (part == DatePart::kEpoch && type.id == TypeId::kTimestampTz)
    return run.template operator()<or_null<&kernel::epoch_of_zoned>>();
  if (part == DatePart::kEpoch) {
    return run_of<or_null<&kernel::epoch_of_date>, on_host<&kernel::epoch_of_time>,
                  or_null<&kernel::epoch_of_timestamp>, on_host<&kernel::epoch_of_interval>>(type, run);
  }
  if (type.id == TypeId::kDate || is_microseconds(type)) {
    if (part == DatePart::kYear) return run_calendar<&kernel::year>(type, run);
    if (part == DatePart::kMonth) return run_calendar<&kernel::month>(type, run);
    if (part == DatePart::kDay) return run_calendar<&kernel::day>(type, run);
    if (part == DatePart::kHour) return run_calendar<&kernel::hour>(type, run);
    if (part == DatePart::kMinute) return run_calendar<&kernel::minute>(type, run);
  }
  return run_of<&of_date, &of_time, &of_timestamp, &of_interval>(type, run);
}

Vector evaluate_one(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return run_one(part_in(expr, {}), args[0].type,
                 [&]<auto f>() { return evaluate_each<f>(expr, args, rows, context); });
}
Value reference_one(const Expr& expr, Values args) {
  return run_one(part_in(expr, {}), args[0].type(), [&]<auto f>() { return reference_each<f>(expr, args); });
}

template <class Run>
auto run_named(Type type, Run run) {
  return run_of<&named_of_date, &named_of_time, &named_of_timestamp, &named_of_interval>(type, run);
}
Vector evaluate_named(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  if (expr.type.id == TypeId::kFloat64) return evaluate_one(expr, args.subspan(1), rows, context);
  return run_named(args[1].type, [&]<auto f>() { return evaluate_each<f>(expr, args, rows, context); });
}
Value reference_named(const Expr& expr, Values args) {
  if (expr.type.id == TypeId::kFloat64) return reference_one(expr, args.subspan(1));
  return run_named(args[1].type(), [&]<auto f>() { return reference_each<f>(expr, args); });
}

std::optional<DeviceFunction> device_part_of_interval(DatePart part, size_t arg) {
  const auto function = [&](std::string name) {
    return DeviceFunction{.name = std::move(name), .header = "intervals", .first = arg};
  };
  if (is_clock(part) && part != DatePart::kEpoch)
    return function(fmt::format("of_interval<{}>", word_of(part)));
  switch (part) {
    case DatePart::kMillennium:
      return function("months_of_interval<12000, 0>");
    case DatePart::kCentury:
      return function("months_of_interval<1200, 0>");
    case DatePart::kDecade:
      return function("months_of_interval<120, 0>");
    case DatePart::kYear:
      return function("months_of_interval<12, 0>");
    case DatePart::kMonth:
      return function("months_of_interval<1, 12>");
    case DatePart::kQuarter:
      return function("quarter_of_interval");
    case DatePart::kDay:
      return function("days_of_interval");
    case DatePart::kEpoch:
      return function("epoch_of_interval");
    default:
      return std::nullopt;
  }
}
/// The device function for the part of argument `arg`.
std::optional<DeviceFunction> device_part(DatePart part, Type type, size_t arg) {
  if (!has_part(type, part)) return std::nullopt;
  const auto function = [&](std::string name, const char* header = "dates") {
    return DeviceFunction{.name = std::move(name), .may_be_null = true, .header = header, .first = arg};
  };
  if (type == Type::timestamp(TimeUnit::kNano)) return function("nanosecond_of_nanos");
  if (type.id == TypeId::kInterval) return device_part_of_interval(part, arg);
  const std::string_view word = word_of(part);
  const std::string_view of = type.id == TypeId::kDate   ? "date"
                              : type.id == TypeId::kTime ? "time"
                                                         : "timestamp";
  if (!is_real(part)) return function(fmt::format("of_{}<{}>", of, word));
  if (type.id == TypeId::kTimestampTz && part == DatePart::kEpoch) return function("epoch_of_zoned");
  return function(fmt::format("{}_of_{}", word, of));
}
template <DatePart part>
std::optional<DeviceFunction> device_one(const Expr& expr) {
  return device_part(part, expr.args[0]->type, 0);
}
/// For a constant word.
std::optional<DeviceFunction> device_named(const Expr& expr) {
  if (expr.prepared == nullptr) return std::nullopt;
  return device_part(part_in(expr, {}), expr.args[1]->type, 1);
}

template <DatePart part>
constexpr Function part_functions_entry(std::string_view name, std::string_view documentation,
                                        std::string_view example) {
  return {.name = name,
          .resolve = resolve_one<part>,
          .prepare = prepare_one<part>,
          .evaluate = evaluate_one,
          .reference = reference_one,
          .device = device_one<part>,
          .documentation = documentation,
          .example = example};
}

using enum DatePart;

constexpr std::array kPartFunctionsTable = {
    part_functions_entry<kMillennium>("millennium", "The millennium; 2001 begins the third.",
                                      "millennium(DATE '2024-02-29')"),
    part_functions_entry<kCentury>("century", "The century; 2001 begins the 21st.",
                                   "century(DATE '2000-12-31')"),
    part_functions_entry<kDecade>("decade", "The year divided by ten.", "decade(DATE '1999-12-31')"),
    part_functions_entry<kYear>("year", "The year; 0 is 1 BC.", "year(DATE '2024-02-29')"),
    part_functions_entry<kQuarter>("quarter", "The quarter of the year, 1 to 4.",
                                   "quarter(DATE '2024-05-01')"),
    part_functions_entry<kMonth>("month", "The month, 1 to 12.", "month(TIMESTAMP '2024-02-29 12:00:00')"),
    part_functions_entry<kWeek>("week", "The ISO 8601 week.", "week(DATE '2021-01-03')"),
    part_functions_entry<kDay>("day", "The day of the month.", "day(DATE '2024-02-29')"),
    part_functions_entry<kHour>("hour", "The hour.", "hour(TIME '12:34:56')"),
    part_functions_entry<kMinute>("minute", "The minute.", "minute(TIME '12:34:56')"),
    part_functions_entry<kSecond>("second", "The whole seconds of the minute.", "second(TIME '12:34:56.7')"),
    part_functions_entry<kMillisecond>("millisecond", "The whole milliseconds of the minute.",
                                       "millisecond(TIME '12:34:56.7891')"),
    part_functions_entry<kMicrosecond>("microsecond", "The microseconds of the minute.",
                                       "microsecond(TIME '12:34:56.789')"),
    part_functions_entry<kNanosecond>("nanosecond", "The nanoseconds of the minute.",
                                      "nanosecond(TIME '12:34:56.789')"),
    part_functions_entry<kDayOfWeek>("dayofweek", "The day of the week; Sunday is 0.",
                                     "dayofweek(DATE '2024-02-29')"),
    part_functions_entry<kIsoDayOfWeek>("isodow", "The day of the week; Monday is 1, Sunday 7.",
                                        "isodow(DATE '2024-03-03')"),
    part_functions_entry<kDayOfYear>("dayofyear", "The day of the year, from 1 on.",
                                     "dayofyear(DATE '2024-12-31')"),
    part_functions_entry<kIsoYear>("isoyear", "The year to which the ISO 8601 week belongs.",
                                   "isoyear(DATE '2021-01-03')"),
    part_functions_entry<kYearWeek>("yearweek", "The ISO 8601 year and week in one number.",
                                    "yearweek(DATE '2021-01-03')"),
    part_functions_entry<kEra>("era", "1 for AD, 0 for BC.", "era(DATE '0044-03-15 (BC)')"),
    part_functions_entry<kEpoch>("epoch", "Seconds since 1970-01-01; of intervals their seconds.",
                                 "epoch(DATE '2024-02-29')"),
    part_functions_entry<kJulian>("julian", "The Julian day, with the time as a fraction.",
                                  "julian(TIMESTAMP '2024-02-29 12:00:00')"),
    part_functions_entry<kTimezone>("timezone", "Seconds from UTC; always 0.",
                                    "timezone(TIMESTAMP '2024-02-29 12:00:00')"),
    part_functions_entry<kTimezoneHour>("timezone_hour", "Whole hours from UTC; always 0.",
                                        "timezone_hour(TIMESTAMP '2024-02-29 12:00:00')"),
    part_functions_entry<kTimezoneMinute>("timezone_minute", "Minutes of the offset from UTC; always 0.",
                                          "timezone_minute(TIMESTAMP '2024-02-29 12:00:00')"),
    Function{
        .name = "date_part",
        .raises = true,
        .resolve = resolve_named,
        .refine = refine_named,
        .prepare = prepare_part,
        .evaluate = evaluate_named,
        .reference = reference_named,
        .device = device_named,
        .documentation = "The part of a date, time, timestamp or interval that the first argument names.",
        .example = "date_part('month', DATE '2024-02-29')"},
};

}  // namespace

std::span<const Function> date_part_functions() { return kPartFunctionsTable; }

}  // namespace lanewise::expr
