#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/gpu/intervals-inl.h"
#include "expr/signature.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

struct DayRange {
  [[noreturn]] static void raise(const Site&, int64_t year, int64_t month, int64_t day) {
    throw UserError(fmt::format("Date out of range: {}-{}-{}", year, month, day));
  }
};
struct ClockRange {
  [[noreturn]] static void raise(const Site&, int64_t hour, int64_t minute, double second) {
    throw UserError(fmt::format("Time out of range: {}:{}:{}", hour, minute, second));
  }
};
struct PartsRange {
  [[noreturn]] static void raise(const Site& site, int64_t year, int64_t month, int64_t day, int64_t hour,
                                 int64_t minute, double second) {
    kernel::Outcome outcome;
    kernel::make_date_parts(outcome, year, month, day);
    if (outcome.failed) DayRange::raise(site, year, month, day);
    kernel::make_time(outcome, hour, minute, second);
    if (outcome.failed) ClockRange::raise(site, hour, minute, second);
    throw UserError("Date and time not in timestamp range");
  }
};
struct MicrosRange {
  [[noreturn]] static void raise(const Site&, int64_t micros) {
    throw UserError(fmt::format("Timestamp microseconds out of range: {}", micros));
  }
};
struct UnitsRange {
  template <class T>
  [[noreturn]] static void raise(const Site& site, T count) {
    throw UserError(
        fmt::format("Interval value {} {} out of range", count, site.expr.function->name.substr(3)));
  }
};

/// Carries what is whole in the next greater unit, as far as that has room.
Value normalized_reference(const Expr& expr, std::span<const Value> args) {
  const Interval value = args[0].interval();
  int128_t days = value.days, micros = value.micros, months = value.months;
  const auto carry = [](int128_t& from, int128_t unit, int128_t& to, int128_t most) {
    to += from / unit;
    from %= unit;
    for (; to > most; to = most) from += (to - most) * unit;
    for (; to < -most - 1; to = -most - 1) from += (to + most + 1) * unit;
  };
  carry(micros, kMicrosPerDay, days, int128_t{INT64_MAX});
  carry(days, 30, months, INT32_MAX);
  int128_t none = 0;
  std::swap(none, days);
  carry(none, 1, days, INT32_MAX);
  micros += none * kMicrosPerDay;
  return {expr.type,
          Interval{static_cast<int32_t>(months), static_cast<int32_t>(days), static_cast<int64_t>(micros)}};
}

template <auto f, FixedText device, TypeId result, TypeId... args>
constexpr Function make_entry(std::string_view name, std::string_view documentation,
                              std::string_view example) {
  return {.name = name,
          .raises = true,
          .resolve = takes_exactly<result, args...>,
          .evaluate = evaluate_each<f>,
          .reference = reference_each<f>,
          .device = on_device<device, "intervals">,
          .documentation = documentation,
          .example = example};
}
template <auto f, FixedText device, TypeId arg>
constexpr Function to(std::string_view name, std::string_view example) {
  return make_entry<f, device, TypeId::kInterval, arg>(name, "An interval of n units of this name.", example);
}

using enum TypeId;

constexpr Function kNormalized = {
    .name = "normalized_interval",
    .resolve = takes_exactly<kInterval, kInterval>,
    .evaluate = evaluate_each<on_host<&kernel::normalized>>,
    .reference = normalized_reference,
    .device = on_device<"normalized", "intervals">,
    .documentation = "The interval with whole months of 30 days for days, and whole days for hours.",
    .example = "normalized_interval(INTERVAL '1 month 40 days 25 hours')"};

constexpr std::array kMakeTable = {
    kNormalized,
    make_entry<on_host<&kernel::make_date_parts, DayRange>, "make_date_parts", kDate, kInt64, kInt64, kInt64>(
        "make_date", "The date of a year, month and day.", "make_date(2024, 2, 29)"),
    make_entry<on_host<&kernel::make_date_days>, "make_date_days", kDate, kInt32>(
        "make_date", "The date n days after 1970-01-01.", "make_date(19782)"),
    make_entry<on_host<&kernel::make_time, ClockRange>, "make_time", kTime, kInt64, kInt64, kFloat64>(
        "make_time", "The time of an hour, minute and second.", "make_time(12, 34, 56.789)"),
    make_entry<on_host<&kernel::make_timestamp, PartsRange>, "make_timestamp", kTimestamp, kInt64, kInt64,
               kInt64, kInt64, kInt64, kFloat64>(
        "make_timestamp", "The timestamp of a year, month, day, hour, minute and second.",
        "make_timestamp(2024, 2, 29, 12, 34, 56.789)"),
    make_entry<on_host<&kernel::make_timestamp_micros, MicrosRange>, "make_timestamp_micros", kTimestamp,
               kInt64>("make_timestamp", "The timestamp n microseconds after 1970-01-01.",
                       "make_timestamp(1709209996789000)"),
    to<on_host<&kernel::of_months<12'000, int32_t>, UnitsRange>, "of_months<12000>", kInt32>(
        "to_millennia", "to_millennia(2::INTEGER)"),
    to<on_host<&kernel::of_months<12'000, int64_t>, UnitsRange>, "of_months<12000>", kInt64>(
        "to_millennia", "to_millennia(2::BIGINT)"),
    to<on_host<&kernel::of_months<1'200, int32_t>, UnitsRange>, "of_months<1200>", kInt32>(
        "to_centuries", "to_centuries(2::INTEGER)"),
    to<on_host<&kernel::of_months<1'200, int64_t>, UnitsRange>, "of_months<1200>", kInt64>(
        "to_centuries", "to_centuries(2::BIGINT)"),
    to<on_host<&kernel::of_months<120, int32_t>, UnitsRange>, "of_months<120>", kInt32>(
        "to_decades", "to_decades(2::INTEGER)"),
    to<on_host<&kernel::of_months<120, int64_t>, UnitsRange>, "of_months<120>", kInt64>(
        "to_decades", "to_decades(2::BIGINT)"),
    to<on_host<&kernel::of_months<12, int32_t>, UnitsRange>, "of_months<12>", kInt32>("to_years",
                                                                                      "to_years(2::INTEGER)"),
    to<on_host<&kernel::of_months<12, int64_t>, UnitsRange>, "of_months<12>", kInt64>("to_years",
                                                                                      "to_years(2::BIGINT)"),
    to<on_host<&kernel::of_months<3, int32_t>, UnitsRange>, "of_months<3>", kInt32>(
        "to_quarters", "to_quarters(2::INTEGER)"),
    to<on_host<&kernel::of_months<3, int64_t>, UnitsRange>, "of_months<3>", kInt64>("to_quarters",
                                                                                    "to_quarters(2::BIGINT)"),
    to<on_host<&kernel::of_months<1, int32_t>, UnitsRange>, "of_months<1>", kInt32>("to_months",
                                                                                    "to_months(14::INTEGER)"),
    to<on_host<&kernel::of_months<1, int64_t>, UnitsRange>, "of_months<1>", kInt64>("to_months",
                                                                                    "to_months(14::BIGINT)"),
    to<on_host<&kernel::of_days<7, int32_t>, UnitsRange>, "of_days<7>", kInt32>("to_weeks",
                                                                                "to_weeks(2::INTEGER)"),
    to<on_host<&kernel::of_days<7, int64_t>, UnitsRange>, "of_days<7>", kInt64>("to_weeks",
                                                                                "to_weeks(2::BIGINT)"),
    to<on_host<&kernel::of_days<1, int32_t>, UnitsRange>, "of_days<1>", kInt32>("to_days",
                                                                                "to_days(2::INTEGER)"),
    to<on_host<&kernel::of_days<1, int64_t>, UnitsRange>, "of_days<1>", kInt64>("to_days",
                                                                                "to_days(2::BIGINT)"),
    to<on_host<&kernel::of_micros<kMicrosPerHour>, UnitsRange>, "of_micros<kMicrosPerHour>", kInt64>(
        "to_hours", "to_hours(25)"),
    to<on_host<&kernel::of_micros<kMicrosPerMinute>, UnitsRange>, "of_micros<kMicrosPerMinute>", kInt64>(
        "to_minutes", "to_minutes(90)"),
    to<on_host<&kernel::of_real_micros<kMicrosPerSecond>, UnitsRange>, "of_real_micros<kMicrosPerSecond>",
       kFloat64>("to_seconds", "to_seconds(90.5)"),
    to<on_host<&kernel::of_real_micros<1000>, UnitsRange>, "of_real_micros<1000>", kFloat64>(
        "to_milliseconds", "to_milliseconds(1.5)"),
    to<on_host<&kernel::of_micros<1>, UnitsRange>, "of_micros<1>", kInt64>("to_microseconds",
                                                                           "to_microseconds(15)"),
};

}  // namespace

std::span<const Function> make_date_functions() { return kMakeTable; }

}  // namespace lanewise::expr
