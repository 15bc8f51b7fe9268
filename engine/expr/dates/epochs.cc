#include <array>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/gpu/intervals-inl.h"
#include "expr/signature.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

template <int64_t per_second>
struct EpochRange {
  template <class T>
  [[noreturn]] static void raise(const Site&, const T&) {
    throw UserError(fmt::format("The value is out of range for {} since 1970-01-01",
                                per_second > kMicrosPerSecond ? "nanoseconds" : "microseconds"));
  }
};

// The kernel's functions in a constant unit.
template <class T, int64_t per_second>
kernel::i64 epoch_in(kernel::Outcome& outcome, T value) {
  return kernel::epoch_in(outcome, value, per_second);
}
template <int64_t per_second>
kernel::i64 clock_in(kernel::Outcome& outcome, kernel::i64 micros) {
  return kernel::clock_in(outcome, micros, per_second);
}
template <int64_t per_second>
kernel::i64 epoch_of_span(kernel::Outcome& outcome, kernel::Interval value) {
  return kernel::epoch_of_span(outcome, value, per_second);
}
template <int64_t per_second>
constexpr auto kOfDate = or_null<&epoch_in<kernel::i32, per_second>, EpochRange<per_second>>;
template <int64_t per_second>
constexpr auto kOfTimestamp = or_null<&epoch_in<kernel::i64, per_second>, EpochRange<per_second>>;
template <int64_t per_second>
constexpr auto kOfTime = on_host<&clock_in<per_second>, EpochRange<per_second>>;
template <int64_t per_second>
constexpr auto kOfInterval = on_host<&epoch_of_span<per_second>, EpochRange<per_second>>;
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
  if (type.id == TypeId::kDate) return evaluate_each<kOfDate<per_second>>(expr, args, rows, context);
  if (type.id == TypeId::kTime) return evaluate_each<kOfTime<per_second>>(expr, args, rows, context);
  if (type.id == TypeId::kInterval) return evaluate_each<kOfInterval<per_second>>(expr, args, rows, context);
  return evaluate_each<kOfTimestamp<per_second>>(expr, args, rows, context);
}
template <int64_t per_second>
Value reference_epoch(const Expr& expr, std::span<const Value> args) {
  const Type type = args[0].type();
  if (type == kNanos) return reference_each<&epoch_of_nanos>(expr, args);
  if (type.id == TypeId::kDate) return reference_each<kOfDate<per_second>>(expr, args);
  if (type.id == TypeId::kTime) return reference_each<kOfTime<per_second>>(expr, args);
  if (type.id == TypeId::kInterval) return reference_each<kOfInterval<per_second>>(expr, args);
  return reference_each<kOfTimestamp<per_second>>(expr, args);
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

/// The kernel's function of dates, where it has one of timestamps too.
template <class R>
using OfDate = R (*)(kernel::Outcome&, kernel::i32);
constexpr auto kLastDay =
    or_null<static_cast<OfDate<kernel::i32>>(&kernel::last_day), Raises<"Date out of range">>;
constexpr auto kDayName = or_null<static_cast<OfDate<kernel::Text>>(&kernel::day_name)>;
constexpr auto kMonthName = or_null<static_cast<OfDate<kernel::Text>>(&kernel::month_name)>;
constexpr auto kFinite = on_host<&kernel::is_finite_moment<kernel::i32>>;
constexpr auto kInfinite = on_host<&kernel::is_infinite_moment<kernel::i32>>;
constexpr auto kTimestampOfMs =
    on_host<&kernel::timestamp_of_ms, Raises<"Could not convert Timestamp(MS) to Timestamp(US)">>;

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
             .evaluate = evaluate_each<kTimestampOfMs>,
             .reference = reference_each<kTimestampOfMs>,
             .device = on_device<"timestamp_of_ms", "dates">,
             .documentation = "The timestamp n milliseconds after 1970-01-01.",
             .example = "epoch_ms(1709209996789)"},
    calendar<kLastDay, TypeId::kDate, &on_device<"last_day", "dates", true>>(
        "last_day", "The last day of the month.", "last_day(DATE '2024-02-01')"),
    calendar<kDayName, TypeId::kVarchar, &on_device<"day_name", "dates", true>>(
        "dayname", "The English name of the day.", "dayname(DATE '2024-02-29')"),
    calendar<kMonthName, TypeId::kVarchar, &on_device<"month_name", "dates", true>>(
        "monthname", "The English name of the month.", "monthname(DATE '2024-02-29')"),
    calendar<kFinite, TypeId::kBool, &on_device<"is_finite_moment", "dates">>(
        "isfinite", "Whether the date or timestamp is not infinite.", "isfinite(DATE '2024-02-29')"),
    calendar<kInfinite, TypeId::kBool, &on_device<"is_infinite_moment", "dates">>(
        "isinf", "Whether the date or timestamp is infinite.", "isinf('-infinity'::TIMESTAMP)"),
};

}  // namespace

std::span<const Function> epoch_functions() { return kEpochsTable; }

}  // namespace lanewise::expr
