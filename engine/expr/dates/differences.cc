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

using Integer = std::optional<int64_t>;
constexpr FixedText kNoMidnight = "Date out of range in timestamp conversion";

[[noreturn]] void no_difference(std::string_view type, DatePart part) {
  throw UserError("\"" + std::string(type) + "\" units \"" + std::string(word_of(part)) +
                  "\" not recognized");
}

[[noreturn]] void difference_overflow(int64_t from, int64_t to) {
  throw UserError("Overflow in subtraction of INT64 (" + std::to_string(to) + " - " + std::to_string(from) +
                  ")!");
}

/// The kernel's function that counts a part's boundaries between two days, and its name on devices.
struct Apart {
  std::string_view device;
  kernel::i64 (*count)(kernel::Outcome&, kernel::i32 from, kernel::i32 to);
};
template <auto number>
Apart apart(std::string_view device) {
  return {device, kernel::days_apart<number>};
}
Apart apart_of(DatePart part) {
  switch (part) {
    case DatePart::kMillennium:
      return apart<kernel::number_of_years<1000>>("days_apart<number_of_years<1000>>");
    case DatePart::kCentury:
      return apart<kernel::number_of_years<100>>("days_apart<number_of_years<100>>");
    case DatePart::kDecade:
      return apart<kernel::number_of_years<10>>("days_apart<number_of_years<10>>");
    case DatePart::kYear:
      return apart<kernel::number_of_years<1>>("days_apart<number_of_years<1>>");
    case DatePart::kQuarter:
      return apart<kernel::number_of_months<3>>("days_apart<number_of_months<3>>");
    case DatePart::kMonth:
      return apart<kernel::number_of_months<1>>("days_apart<number_of_months<1>>");
    case DatePart::kWeek:
    case DatePart::kYearWeek:
      return {"weeks_apart", kernel::weeks_apart};
    case DatePart::kDay:
    case DatePart::kDayOfWeek:
    case DatePart::kIsoDayOfWeek:
    case DatePart::kDayOfYear:
    case DatePart::kJulian:
      return apart<kernel::start_of_day>("days_apart<start_of_day>");
    case DatePart::kIsoYear:
      return apart<kernel::iso_year>("days_apart<iso_year>");
    default:
      return {};
  }
}
int64_t boundaries(DatePart part, int32_t from, int32_t to) {
  const Apart apart = apart_of(part);
  if (apart.count == nullptr) no_difference("date", part);
  kernel::Outcome outcome;
  return apart.count(outcome, from, to);
}

// Infinite times give NULL for every part.

Integer diff_dates(const Site& site, std::string_view word, int32_t from, int32_t to) {
  if (!is_finite_date(from) || !is_finite_date(to)) return std::nullopt;
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) return boundaries(part, from, to);
  kernel::Outcome outcome;
  const int64_t result = unit >= kMicrosPerSecond ? kernel::seconds_apart(outcome, from, to, unit)
                                                  : kernel::micros_apart(outcome, from, to, unit);
  if (outcome.failed) throw UserError("Could not convert DATE to microseconds");
  return result;
}

Integer diff_timestamps(const Site& site, std::string_view word, int64_t from, int64_t to) {
  if (!is_finite(from) || !is_finite(to)) return std::nullopt;
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) return boundaries(part, date_of(from), date_of(to));
  kernel::Outcome outcome;
  const int64_t result = kernel::clocks_apart(outcome, from, to, unit);
  if (outcome.failed) difference_overflow(floor_div(from, unit), floor_div(to, unit));
  return result;
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
  kernel::Outcome outcome;
  return kernel::times_apart(outcome, from, to, unit);
}

Integer sub_timestamps(const Site& site, std::string_view word, int64_t from, int64_t to) {
  if (!is_finite(from) || !is_finite(to)) return std::nullopt;
  const DatePart part = part_in(site.expr, word);
  const auto [months, days, micros] = unit_of(part);
  kernel::Outcome outcome;
  if (months != 0) {
    const int64_t result = kernel::months_between(outcome, from, to, months);
    if (outcome.failed) throw UserError(kNoMidnight.text);
    return result;
  }
  const int64_t unit = days * kMicrosPerDay + micros;
  if (unit == 0) no_difference("timestamp", part);
  const int64_t result = kernel::micros_between(outcome, from, to, unit);
  if (outcome.failed) difference_overflow(from, to);
  return result;
}

Integer sub_dates(const Site& site, std::string_view word, int32_t from, int32_t to) {
  if (!is_finite_date(from) || !is_finite_date(to)) return std::nullopt;
  kernel::Outcome outcome;
  const int64_t a = kernel::timestamp_of(outcome, from, 0), b = kernel::timestamp_of(outcome, to, 0);
  if (outcome.failed) throw UserError("Date and time not in timestamp range");
  return sub_timestamps(site, word, a, b);
}

Integer sub_times(const Site& site, std::string_view word, int64_t from, int64_t to) {
  const DatePart part = part_in(site.expr, word);
  const int64_t unit = unit_of(part).micros;
  if (unit == 0) no_difference("time", part);
  kernel::Outcome outcome;
  return kernel::times_between(outcome, from, to, unit);
}

std::optional<DeviceFunction> device_of(std::string name, const char* header, int64_t unit = 0) {
  return DeviceFunction{.name = std::move(name),
                        .may_be_null = true,
                        .header = header,
                        .constants = unit == 0 ? "" : fmt::format(", i64({})", unit),
                        .first = 1};
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
  const std::string apart(apart_of(part).device);
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
          .raises = true,
          .resolve = takes_exactly<TypeId::kInterval, type, type>,
          .evaluate = evaluate_each<or_null<&kernel::age, Raises<kNoMidnight>>>,
          .reference = reference_each<or_null<&kernel::age, Raises<kNoMidnight>>>,
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
