#include <algorithm>
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

[[noreturn]] void no_difference(std::string_view type, DatePart part) {
  throw UserError("\"" + std::string(type) + "\" units \"" + std::string(word_of(part)) +
                  "\" not recognized");
}

int64_t difference(int64_t from, int64_t to) {
  int64_t result;
  if (__builtin_sub_overflow(to, from, &result)) {
    throw UserError("Overflow in subtraction of INT64 (" + std::to_string(to) + " - " + std::to_string(from) +
                    ")!");
  }
  return result;
}

/// date_diff of two dates: the number of boundaries of the part between them. Weeks count whole distances
/// instead.
int64_t boundaries(DatePart part, int32_t from, int32_t to) {
  const format::Date a = civil(from);
  const format::Date b = civil(to);
  const auto months = [](const format::Date& date) { return int64_t{date.year} * 12 + date.month - 1; };
  switch (part) {
    case DatePart::kMillennium:
      return b.year / 1000 - a.year / 1000;
    case DatePart::kCentury:
      return b.year / 100 - a.year / 100;
    case DatePart::kDecade:
      return b.year / 10 - a.year / 10;
    case DatePart::kYear:
      return b.year - a.year;
    case DatePart::kQuarter:
      return months(b) / 3 - months(a) / 3;
    case DatePart::kMonth:
      return months(b) - months(a);
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return (int64_t{to} - from) / 7;
    case DatePart::kDay:
    case DatePart::kDayOfWeek:
    case DatePart::kIsoDayOfWeek:
    case DatePart::kDayOfYear:
    case DatePart::kJulian:
      return int64_t{to} - from;
    case DatePart::kIsoYear:
      return iso_week(to).year - iso_week(from).year;
    default:
      no_difference("date", part);
  }
}

// Infinite times give NULL for every part.

Integer diff_dates(const Site& site, std::string_view word, int32_t from, int32_t to) {
  if (!is_finite_date(from) || !is_finite_date(to)) return std::nullopt;
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) return boundaries(part, from, to);
  const std::optional<int64_t> a = timestamp_of(from, 0);
  const std::optional<int64_t> b = timestamp_of(to, 0);
  if (unit >= kMicrosPerSecond) return (int64_t{to} - from) * (kMicrosPerDay / unit);
  if (!a || !b) throw UserError("Could not convert DATE to microseconds");
  return difference(*a / unit, *b / unit);
}

Integer diff_timestamps(const Site& site, std::string_view word, int64_t from, int64_t to) {
  if (!is_finite(from) || !is_finite(to)) return std::nullopt;
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) return boundaries(part, date_of(from), date_of(to));
  return difference(floor_div(from, unit), floor_div(to, unit));
}

/// The same with time zones; DuckDB counts Mondays then, but only if the part is a week of a year.
Integer diff_zoned(const Site& site, std::string_view word, int64_t from, int64_t to) {
  if (!is_finite(from) || !is_finite(to)) return std::nullopt;
  if (part_in(site.expr, word) != DatePart::kYearWeek) return diff_timestamps(site, word, from, to);
  const auto week = [](int64_t at) { return floor_div(int64_t{date_of(at)} + 3, 7); };  // day 0 is a Thursday
  return week(to) - week(from);
}

Integer diff_times(const Site& site, std::string_view word, int64_t from, int64_t to) {
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) no_difference("time", part);
  return to / unit - from / unit;
}

/// The years, months, days and time from `from` to `to`, as a person would count them.
Interval age_between(int64_t to, int64_t from) {
  const bool backwards = to < from;
  const format::Date a = civil(date_of(to));
  const format::Date b = civil(date_of(from));
  const int sign = backwards ? -1 : 1;
  int64_t micros = sign * (floor_mod(to, kMicrosPerDay) - floor_mod(from, kMicrosPerDay));
  int64_t days = sign * (a.day - b.day);
  int64_t months = sign * ((int64_t{a.year} - b.year) * 12 + a.month - b.month);
  if (micros < 0) {
    micros += kMicrosPerDay;
    --days;
  }
  const format::Date& earlier = backwards ? a : b;
  while (days < 0) {
    days += days_in_month(earlier.year, earlier.month);
    --months;
  }
  return {static_cast<int32_t>(sign * months), static_cast<int32_t>(sign * days), sign * micros};
}

/// Complete months; a start late in its month counts as complete at the end of a shorter one.
int64_t complete_months(int64_t from, int64_t to) {
  if (from > to) return -complete_months(to, from);
  const format::Date end = civil(date_of(to));
  const int end_days = days_in_month(end.year, end.month);
  if (end_days == end.day) {
    const format::Date start = civil(date_of(from));
    const int64_t start_time = floor_mod(from, kMicrosPerDay);
    if (start.day > end_days || (start.day == end_days && start_time < floor_mod(to, kMicrosPerDay))) {
      from = format::days_from_civil(start.year, start.month, end_days) * kMicrosPerDay + start_time;
    }
  }
  return age_between(to, from).months;
}

Integer sub_timestamps(const Site& site, std::string_view word, int64_t from, int64_t to) {
  if (!is_finite(from) || !is_finite(to)) return std::nullopt;
  const DatePart part = part_in(site.expr, word);
  const auto [months, days, micros] = unit_of(part);
  if (months != 0) return complete_months(from, to) / months;
  if (days != 0) return difference(from, to) / (days * kMicrosPerDay);
  if (micros != 0) return difference(from, to) / micros;
  no_difference("timestamp", part);
}

Integer sub_dates(const Site& site, std::string_view word, int32_t from, int32_t to) {
  const std::optional<int64_t> a = timestamp_of(from, 0);
  const std::optional<int64_t> b = timestamp_of(to, 0);
  if (!a || !b) throw UserError("Date and time not in timestamp range");
  return sub_timestamps(site, word, *a, *b);
}

Integer sub_times(const Site& site, std::string_view word, int64_t from, int64_t to) {
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) no_difference("time", part);
  return (to - from) / unit;
}

std::optional<Interval> age(const Site&, int64_t to, int64_t from) {
  if (!is_finite(from) || !is_finite(to)) return std::nullopt;
  return age_between(to, from);
}

std::optional<DeviceFunction> device_of(std::string name, const char* header, int64_t unit = 0) {
  return DeviceFunction{.name = std::move(name),
                        .may_be_null = true,
                        .header = header,
                        .constants = unit == 0 ? "" : fmt::format(", i64({})", unit),
                        .first = 1};
}

/// The device function that counts a part's boundaries between two days; empty if there is none.
std::string_view device_apart(DatePart part) {
  switch (part) {
    case DatePart::kMillennium:
      return "days_apart<number_of_years<1000>>";
    case DatePart::kCentury:
      return "days_apart<number_of_years<100>>";
    case DatePart::kDecade:
      return "days_apart<number_of_years<10>>";
    case DatePart::kYear:
      return "days_apart<number_of_years<1>>";
    case DatePart::kQuarter:
      return "days_apart<number_of_months<3>>";
    case DatePart::kMonth:
      return "days_apart<number_of_months<1>>";
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return "weeks_apart";
    case DatePart::kDay:
    case DatePart::kDayOfWeek:
    case DatePart::kIsoDayOfWeek:
    case DatePart::kDayOfYear:
    case DatePart::kJulian:
      return "days_apart<start_of_day>";
    case DatePart::kIsoYear:
      return "days_apart<iso_year>";
    default:
      return "";
  }
}
std::optional<DeviceFunction> device_diff(const Expr& expr) {
  if (expr.prepared == nullptr) return std::nullopt;
  const DatePart part = part_in(expr, {});
  const int64_t unit = unit_of(part).micros;
  const TypeId type = expr.args[1]->type.id;
  if (type == TypeId::kTime) return unit == 0 ? std::nullopt : device_of("times_apart", "dates", unit);
  if (type == TypeId::kTimestampTz && part == DatePart::kYearWeek) return std::nullopt;
  if (unit != 0 && type == TypeId::kDate)
    return device_of(unit >= kMicrosPerSecond ? "seconds_apart" : "micros_apart", "dates", unit);
  if (unit != 0) return device_of("clocks_apart", "dates", unit);
  const std::string apart(device_apart(part));
  if (apart.empty()) return std::nullopt;
  return device_of(type == TypeId::kDate ? apart : "timestamps_apart<" + apart + ">", "dates");
}

std::optional<DeviceFunction> device_sub(const Expr& expr) {
  if (expr.prepared == nullptr) return std::nullopt;
  const DatePart part = part_in(expr, {});
  const TypeId type = expr.args[1]->type.id;
  const auto [months, days, micros] = unit_of(part);
  if (type == TypeId::kTime)
    return micros == 0 ? std::nullopt : device_of("times_between", "intervals", micros);
  const int64_t unit = months != 0 ? months : micros + days * kMicrosPerDay;
  if (unit == 0) return std::nullopt;
  const std::string between = months != 0 ? "months_between" : "micros_between";
  return device_of(type == TypeId::kDate ? "dates_between<" + between + ">" : between, "intervals", unit);
}

template <TypeId type, auto f, auto device>
constexpr Function difference_entry(std::string_view name, std::string_view documentation,
                                    std::string_view example) {
  return {.name = name,
          .raises = true,
          .resolve = takes_exactly<TypeId::kInt64, TypeId::kVarchar, type, type>,
          .prepare = prepare_part,
          .evaluate = evaluate_each<f>,
          .reference = reference_each<f>,
          .device = device,
          .documentation = documentation,
          .example = example};
}

template <TypeId type>
constexpr Function age_entry(std::string_view example) {
  return {.name = "age",
          .resolve = takes_exactly<TypeId::kInterval, type, type>,
          .evaluate = evaluate_each<&age>,
          .reference = reference_each<&age>,
          .device = on_device<"age", "intervals", true>,
          .documentation = "The years, months, days and time from the second to the first.",
          .example = example};
}

constexpr std::string_view kDiff = "How many boundaries of the part lie between the second and the third.";
constexpr std::string_view kSub = "How many whole parts lie between the second and the third.";

constexpr std::array kDifferencesTable = {
    difference_entry<TypeId::kDate, &diff_dates, device_diff>(
        "date_diff", kDiff, "date_diff('month', DATE '2024-01-31', DATE '2024-03-01')"),
    difference_entry<TypeId::kTimestamp, &diff_timestamps, device_diff>(
        "date_diff", kDiff,
        "date_diff('hour', TIMESTAMP '2024-02-29 11:59:59', TIMESTAMP '2024-02-29 12:00:00')"),
    difference_entry<TypeId::kTimestampTz, &diff_zoned, device_diff>(
        "date_diff", kDiff,
        "date_diff('day', TIMESTAMPTZ '2024-02-28 00:00:00+00', TIMESTAMPTZ '2024-03-01 00:00:00+00')"),
    difference_entry<TypeId::kTime, &diff_times, device_diff>(
        "date_diff", kDiff, "date_diff('minute', TIME '11:59:59', TIME '12:00:00')"),
    difference_entry<TypeId::kDate, &sub_dates, device_sub>(
        "date_sub", kSub, "date_sub('month', DATE '2024-01-31', DATE '2024-02-29')"),
    difference_entry<TypeId::kTimestamp, &sub_timestamps, device_sub>(
        "date_sub", kSub,
        "date_sub('hour', TIMESTAMP '2024-02-29 11:59:59', TIMESTAMP '2024-02-29 12:00:00')"),
    difference_entry<TypeId::kTimestampTz, &sub_timestamps, device_sub>(
        "date_sub", kSub,
        "date_sub('day', TIMESTAMPTZ '2024-02-28 00:00:00+00', TIMESTAMPTZ '2024-03-01 00:00:00+00')"),
    difference_entry<TypeId::kTime, &sub_times, device_sub>(
        "date_sub", kSub, "date_sub('minute', TIME '11:59:59', TIME '12:00:00')"),
    age_entry<TypeId::kTimestamp>("age(TIMESTAMP '2024-03-01', TIMESTAMP '2023-01-31')"),
    age_entry<TypeId::kTimestampTz>(
        "age(TIMESTAMPTZ '2024-03-01 00:00:00+00', TIMESTAMPTZ '2023-01-31 00:00:00+00')"),
};

}  // namespace

std::span<const Function> date_difference_functions() { return kDifferencesTable; }

}  // namespace lanewise::expr
