#include <array>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/groups.h"
#include "expr/dates/parts.h"
#include "expr/evaluation/loops.h"
#include "expr/signature.h"

namespace lanewise::expr {

namespace {

[[noreturn]] void cannot_truncate(DatePart part) {
  throw UserError("date_trunc cannot truncate to \"" + std::string(word_of(part)) + "\"");
}

int64_t first_day(int64_t year, int month) { return format::days_from_civil(year, month, 1); }

/// The first day of the part that contains the date.
int64_t truncated_date(DatePart part, int32_t days) {
  const format::Date date = civil(days);
  switch (part) {
    case DatePart::kMillennium:
      return first_day(date.year / 1000 * 1000, 1);
    case DatePart::kCentury:
      return first_day(date.year / 100 * 100, 1);
    case DatePart::kDecade:
      return first_day(date.year / 10 * 10, 1);
    case DatePart::kYear:
      return first_day(date.year, 1);
    case DatePart::kQuarter:
      return first_day(date.year, (date.month - 1) / 3 * 3 + 1);
    case DatePart::kMonth:
      return first_day(date.year, date.month);
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return days - (iso_day_of_week(days) - 1);
    case DatePart::kIsoYear: {
      const int64_t monday = days - (iso_day_of_week(days) - 1);
      return monday - (iso_week(static_cast<int32_t>(monday)).week - 1) * 7;
    }
    case DatePart::kEra:
    case DatePart::kTimezone:
    case DatePart::kTimezoneHour:
    case DatePart::kTimezoneMinute:
      cannot_truncate(part);
    default:
      return days;
  }
}

int64_t midnight(int64_t days) {
  const std::optional<int64_t> result = timestamp_of(static_cast<int32_t>(days), 0);
  if (!result) throw UserError("Date and time not in timestamp range");
  return *result;
}

int64_t truncate_date(const Site& site, std::string_view word, int32_t days) {
  const DatePart part = part_in(site.expr, word);
  return midnight(is_finite_date(days) ? truncated_date(part, days) : days);
}

int64_t truncate_timestamp(const Site& site, std::string_view word, int64_t value) {
  const DatePart part = part_in(site.expr, word);
  if (!is_finite(value)) return value;
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) return midnight(truncated_date(part, date_of(value)));
  return value - floor_mod(value, unit);
}

Interval truncate_interval(const Site& site, std::string_view word, Interval value) {
  const DatePart part = part_in(site.expr, word);
  const auto [months, days, micros] = unit_of(part);
  if (micros != 0) return {value.months, value.days, value.micros / micros * micros};
  if (months != 0) return {value.months / months * months, 0, 0};
  if (days != 0) return {value.months, value.days / days * days, 0};
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

/// The device function that finds the first day of a part; empty if there is none.
std::string_view device_start(DatePart part) {
  switch (part) {
    case DatePart::kMillennium:
      return "start_of_years<1000>";
    case DatePart::kCentury:
      return "start_of_years<100>";
    case DatePart::kDecade:
      return "start_of_years<10>";
    case DatePart::kYear:
      return "start_of_years<1>";
    case DatePart::kQuarter:
      return "start_of_months<3>";
    case DatePart::kMonth:
      return "start_of_months<1>";
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return "start_of_week";
    case DatePart::kIsoYear:
      return "start_of_iso_year";
    case DatePart::kEra:
    case DatePart::kTimezone:
    case DatePart::kTimezoneHour:
    case DatePart::kTimezoneMinute:
      return "";
    default:
      return "start_of_day";
  }
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
  if (device_start(part).empty()) return std::nullopt;
  function.name =
      fmt::format("truncated_{}<{}>", type.id == TypeId::kDate ? "date" : "timestamp", device_start(part));
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
