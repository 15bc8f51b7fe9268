#include <array>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/dates/parts.h"
#include "expr/gpu/intervals-inl.h"
#include "expr/signature.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

[[noreturn]] void cannot_truncate(DatePart part) {
  throw UserError("date_trunc cannot truncate to \"" + std::string(word_of(part)) + "\"");
}

/// The kernel's function that finds the first day of a part, by its name on devices, and date_trunc() with
/// it.
struct Start {
  std::string_view device;
  kernel::i64 (*truncated)(kernel::Outcome&, kernel::i32 days);
};
template <auto start>
Start named(std::string_view device) {
  return {device, kernel::truncated_date<start>};
}
Start start_of(DatePart part) {
  switch (part) {
    case DatePart::kMillennium:
      return named<kernel::start_of_years<1000>>("start_of_years<1000>");
    case DatePart::kCentury:
      return named<kernel::start_of_years<100>>("start_of_years<100>");
    case DatePart::kDecade:
      return named<kernel::start_of_years<10>>("start_of_years<10>");
    case DatePart::kYear:
      return named<kernel::start_of_years<1>>("start_of_years<1>");
    case DatePart::kQuarter:
      return named<kernel::start_of_months<3>>("start_of_months<3>");
    case DatePart::kMonth:
      return named<kernel::start_of_months<1>>("start_of_months<1>");
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return named<kernel::start_of_week>("start_of_week");
    case DatePart::kIsoYear:
      return named<kernel::start_of_iso_year>("start_of_iso_year");
    case DatePart::kEra:
    case DatePart::kTimezone:
    case DatePart::kTimezoneHour:
    case DatePart::kTimezoneMinute:
      return {};
    default:
      return named<kernel::start_of_day>("start_of_day");
  }
}

int64_t midnight(DatePart part, int32_t days) {
  const Start start = start_of(part);
  kernel::Outcome outcome;
  if (start.truncated == nullptr && is_finite_date(days)) cannot_truncate(part);
  const int64_t result =
      start.truncated == nullptr ? kernel::timestamp_of(outcome, days, 0) : start.truncated(outcome, days);
  if (outcome.failed) throw UserError("Date and time not in timestamp range");
  return result;
}

int64_t truncate_date(const Site& site, std::string_view word, int32_t days) {
  return midnight(part_in(site.expr, word), days);
}

int64_t truncate_timestamp(const Site& site, std::string_view word, int64_t value) {
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  kernel::Outcome outcome;
  if (unit == 0) return midnight(part, date_of(value));
  const int64_t result = kernel::truncated_clock(outcome, value, unit);
  if (outcome.failed) throw UserError("Date out of range in timestamp conversion");
  return result;
}

Interval truncate_interval(const Site& site, std::string_view word, Interval value) {
  const DatePart part = part_in(site.expr, word);
  const auto [months, days, micros] = unit_of(part);
  kernel::Outcome outcome;
  if (micros != 0) return from_kernel(kernel::truncated_span(outcome, to_kernel(value), micros));
  if (months != 0) return from_kernel(kernel::whole_months(outcome, to_kernel(value), months));
  if (days != 0) return from_kernel(kernel::whole_days(outcome, to_kernel(value), days));
  cannot_truncate(part);
}

std::optional<DeviceFunction> device_truncate_interval(DatePart part) {
  const auto to = [](const char* name, const char* type, int64_t unit) {
    return DeviceFunction{
        .name = name, .header = "intervals", .constants = fmt::format(", {}({})", type, unit), .first = 1};
  };
  const auto [months, days, micros] = unit_of(part);
  if (micros != 0) return to("truncated_span", "i64", micros);
  if (months != 0) return to("whole_months", "i32", months);
  if (days != 0) return to("whole_days", "i32", days);
  return std::nullopt;
}

std::optional<DeviceFunction> device_truncate(const Expr& expr) {
  if (expr.prepared == nullptr) return std::nullopt;
  const Type type = expr.args[1]->type;
  const DatePart part = part_in(expr, {});
  if (type.id == TypeId::kInterval) return device_truncate_interval(part);
  DeviceFunction function{.name = {}, .header = "dates", .first = 1};
  const int64_t unit = unit_of(part).micros;
  if (type.id != TypeId::kDate && unit != 0) {
    function.name = "truncated_clock";
    function.constants = fmt::format(", i64({})", unit);
    return function;
  }
  const std::string_view start = start_of(part).device;
  if (start.empty()) return std::nullopt;
  function.name = fmt::format("truncated_{}<{}>", type.id == TypeId::kDate ? "date" : "timestamp", start);
  return function;
}

template <TypeId result, TypeId type, auto f>
constexpr Function truncate_entry(std::string_view documentation, std::string_view example) {
  return {.name = "date_trunc",
          .raises = true,
          .resolve = takes_exactly<result, TypeId::kVarchar, type>,
          .prepare = prepare_part,
          .evaluate = evaluate_each<f>,
          .reference = reference_each<f>,
          .device = device_truncate,
          .documentation = documentation,
          .example = example};
}

constexpr std::array kTruncateTable = {
    truncate_entry<TypeId::kTimestamp, TypeId::kDate, &truncate_date>(
        "The start of the part that holds the date.", "date_trunc('month', DATE '2024-02-29')"),
    truncate_entry<TypeId::kTimestamp, TypeId::kTimestamp, &truncate_timestamp>(
        "The start of the part that holds the timestamp.",
        "date_trunc('hour', TIMESTAMP '2024-02-29 12:34:56')"),
    truncate_entry<TypeId::kTimestampTz, TypeId::kTimestampTz, &truncate_timestamp>(
        "The start of the part that holds the timestamp, in UTC.",
        "date_trunc('week', TIMESTAMPTZ '2024-02-29 12:34:56+00')"),
    truncate_entry<TypeId::kInterval, TypeId::kInterval, &truncate_interval>(
        "The interval without its smaller parts.", "date_trunc('day', INTERVAL '3 days 12:34:56')"),
};

}  // namespace

std::span<const Function> date_trunc_functions() { return kTruncateTable; }

}  // namespace lanewise::expr
