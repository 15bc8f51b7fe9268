#include <array>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/groups.h"
#include "expr/dates/parts.h"
#include "expr/evaluation/loops.h"
#include "expr/signature.h"

namespace lanewise::expr {

namespace {

using Integer = std::optional<int64_t>;
using Text = std::optional<std::string_view>;

[[noreturn]] void out_of_range(const char* unit) {
  throw UserError(std::string("The value is out of range for ") + unit + " since 1970-01-01");
}

/// Microseconds in units of 1 / per_second.
template <int64_t per_second>
int64_t scaled(int64_t micros) {
  if constexpr (per_second <= kMicrosPerSecond) {
    return micros / (kMicrosPerSecond / per_second);
  } else {
    int64_t result;
    if (__builtin_mul_overflow(micros, per_second / kMicrosPerSecond, &result)) out_of_range("nanoseconds");
    return result;
  }
}

template <int64_t per_second>
Integer epoch_of_date(const Site&, int32_t days) {
  if (!is_finite_date(days)) return std::nullopt;
  int64_t result;
  if (__builtin_mul_overflow(int64_t{days}, 86'400 * per_second, &result)) out_of_range("that unit");
  return result;
}
template <int64_t per_second>
Integer epoch_of_timestamp(const Site&, int64_t value) {
  if (!is_finite(value)) return std::nullopt;
  return scaled<per_second>(value);
}
template <int64_t per_second>
Integer epoch_of_time(const Site&, int64_t micros) {
  return scaled<per_second>(micros);
}
template <int64_t per_second>
Integer epoch_of_interval(const Site&, Interval value) {
  if constexpr (per_second < kMicrosPerSecond) {  // the parts are converted to units one by one
    const int64_t days = int64_t{value.months} * 30 + value.days;
    return days * 86'400 * per_second + scaled<per_second>(value.micros);
  } else {
    const Integer micros = micros_of(value);
    if (!micros) out_of_range("intervals");
    return scaled<per_second>(*micros);
  }
}
/// Infinite values are converted to numbers, only in this function, as in DuckDB.
int64_t epoch_of_nanos(const Site&, int64_t value) { return value; }

constexpr Type kNanos = Type::timestamp(TimeUnit::kNano);

template <int64_t per_second>
std::optional<Type> resolve_epoch(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  const Type type = args[0];
  const bool taken = type.id == TypeId::kDate || type.id == TypeId::kTime || type.id == TypeId::kInterval ||
                     type.id == TypeId::kTimestampTz || type == Type(TypeId::kTimestamp) ||
                     (type == kNanos && per_second > kMicrosPerSecond);
  if (!taken) return std::nullopt;
  return TypeId::kInt64;
}
template <int64_t per_second>
Vector evaluate_epoch(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                      EvalContext& context) {
  const Type type = args[0].type;
  if (type == kNanos) return evaluate_each<&epoch_of_nanos>(expr, args, rows, context);
  if (type.id == TypeId::kDate) return evaluate_each<&epoch_of_date<per_second>>(expr, args, rows, context);
  if (type.id == TypeId::kTime) return evaluate_each<&epoch_of_time<per_second>>(expr, args, rows, context);
  if (type.id == TypeId::kInterval)
    return evaluate_each<&epoch_of_interval<per_second>>(expr, args, rows, context);
  return evaluate_each<&epoch_of_timestamp<per_second>>(expr, args, rows, context);
}
template <int64_t per_second>
Value reference_epoch(const Expr& expr, std::span<const Value> args) {
  const Type type = args[0].type();
  if (type == kNanos) return reference_each<&epoch_of_nanos>(expr, args);
  if (type.id == TypeId::kDate) return reference_each<&epoch_of_date<per_second>>(expr, args);
  if (type.id == TypeId::kTime) return reference_each<&epoch_of_time<per_second>>(expr, args);
  if (type.id == TypeId::kInterval) return reference_each<&epoch_of_interval<per_second>>(expr, args);
  return reference_each<&epoch_of_timestamp<per_second>>(expr, args);
}

template <int64_t per_second>
std::optional<DeviceFunction> device_epoch(const Expr& expr) {
  const Type type = expr.args[0]->type;
  if (type.id == TypeId::kInterval)
    return DeviceFunction{
        .name = "epoch_of_span", .header = "intervals", .constants = fmt::format(", i64({})", per_second)};
  if (type == kNanos) return DeviceFunction{"same"};
  return DeviceFunction{.name = type.id == TypeId::kTime ? "clock_in" : "epoch_in",
                        .may_be_null = true,
                        .header = "dates",
                        .constants = fmt::format(", i64({})", per_second)};
}

int64_t timestamp_of_ms(const Site&, int64_t millis) {
  int64_t micros;
  if (__builtin_mul_overflow(millis, 1000, &micros))
    throw UserError("Could not convert Timestamp(MS) to Timestamp(US)");
  return micros;
}

// Functions of a date, or of a timestamp's date.
template <auto f>
auto timestamp_epoch(const Site& site, int64_t value) {
  return f(site, date_of(value));
}
template <auto f, TypeId result>
std::optional<Type> resolve_calendar(std::span<const Type> args) {
  if (args.size() != 1) return std::nullopt;
  const Type type = args[0];
  if (type.id == TypeId::kDate || type.id == TypeId::kTimestampTz || type == Type(TypeId::kTimestamp))
    return Type(result);
  return std::nullopt;
}
template <auto f>
Vector evaluate_calendar(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                         EvalContext& context) {
  if (args[0].type.id == TypeId::kDate) return evaluate_each<f>(expr, args, rows, context);
  return evaluate_each<&timestamp_epoch<f>>(expr, args, rows, context);
}
template <auto f>
Value reference_calendar(const Expr& expr, std::span<const Value> args) {
  if (args[0].type().id == TypeId::kDate) return reference_each<f>(expr, args);
  return reference_each<&timestamp_epoch<f>>(expr, args);
}

std::optional<int32_t> last_day(const Site&, int32_t days) {
  if (!is_finite_date(days)) return std::nullopt;
  const format::Date date = civil(days);
  const int64_t last = int64_t{days} - date.day + days_in_month(date.year, date.month);
  if (last >= format::kDateInfinity) throw UserError("Date out of range");
  return static_cast<int32_t>(last);
}
Text day_name(const Site&, int32_t days) {
  constexpr std::string_view kNames[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                         "Friday", "Saturday", "Sunday"};
  if (!is_finite_date(days)) return std::nullopt;
  return kNames[iso_day_of_week(days) - 1];
}
Text month_name(const Site&, int32_t days) {
  constexpr std::string_view kNames[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
  if (!is_finite_date(days)) return std::nullopt;
  return kNames[civil(days).month - 1];
}
uint8_t finite(const Site&, int32_t days) { return is_finite_date(days); }
uint8_t infinite(const Site&, int32_t days) { return !is_finite_date(days); }

template <int64_t per_second>
constexpr Function epoch(std::string_view name, std::string_view documentation, std::string_view example) {
  return {.name = name,
          .raises = true,
          .resolve = resolve_epoch<per_second>,
          .evaluate = evaluate_epoch<per_second>,
          .reference = reference_epoch<per_second>,
          .device = device_epoch<per_second>,
          .documentation = documentation,
          .example = example};
}

template <auto f, TypeId result, auto device>
constexpr Function calendar(std::string_view name, std::string_view documentation, std::string_view example) {
  return {.name = name,
          .raises = result == TypeId::kDate,
          .resolve = resolve_calendar<f, result>,
          .evaluate = evaluate_calendar<f>,
          .reference = reference_calendar<f>,
          .device = device,
          .documentation = documentation,
          .example = example};
}

constexpr std::array kEpochsTable = {
    epoch<1'000>("epoch_ms", "Milliseconds since 1970-01-01; of intervals their milliseconds.",
                 "epoch_ms(TIMESTAMP '2024-02-29 12:34:56.789')"),
    epoch<1'000'000>("epoch_us", "Microseconds since 1970-01-01; of intervals their microseconds.",
                     "epoch_us(INTERVAL 3 DAYS)"),
    epoch<1'000'000'000>("epoch_ns", "Nanoseconds since 1970-01-01; of intervals their nanoseconds.",
                         "epoch_ns(DATE '2024-02-29')"),
    Function{.name = "epoch_ms",
             .raises = true,
             .resolve = takes_exactly<TypeId::kTimestamp, TypeId::kInt64>,
             .evaluate = evaluate_each<&timestamp_of_ms>,
             .reference = reference_each<&timestamp_of_ms>,
             .device = on_device<"timestamp_of_ms", "dates">,
             .documentation = "The timestamp n milliseconds after 1970-01-01.",
             .example = "epoch_ms(1709209996789)"},
    calendar<&last_day, TypeId::kDate, &on_device<"last_day", "dates", true>>(
        "last_day", "The last day of the month.", "last_day(DATE '2024-02-01')"),
    calendar<&day_name, TypeId::kVarchar, &on_device<"day_name", "dates", true>>(
        "dayname", "The English name of the day.", "dayname(DATE '2024-02-29')"),
    calendar<&month_name, TypeId::kVarchar, &on_device<"month_name", "dates", true>>(
        "monthname", "The English name of the month.", "monthname(DATE '2024-02-29')"),
    calendar<&finite, TypeId::kBool, &on_device<"is_finite_moment", "dates">>(
        "isfinite", "Whether the date or timestamp is not infinite.", "isfinite(DATE '2024-02-29')"),
    calendar<&infinite, TypeId::kBool, &on_device<"is_infinite_moment", "dates">>(
        "isinf", "Whether the date or timestamp is infinite.", "isinf('-infinity'::TIMESTAMP)"),
};

}  // namespace

std::span<const Function> epoch_functions() { return kEpochsTable; }

}  // namespace lanewise::expr
