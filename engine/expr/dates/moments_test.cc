#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "expr/casts/cast.h"
#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"
#include "expr/testing/calendar_oracle.h"
#include "expr/testing/calls.h"

/// Epochs, names, clocks and intervals, against plain counting and DuckDB's answers.
namespace lanewise {
namespace moments_test {
namespace {

using calls::number;
using calls::of;

constexpr int64_t kDay = oracle::kDay;
constexpr int64_t kMoments[] = {0,
                                1,
                                -1,
                                999,
                                -999,
                                1'000'000,
                                -1'500'000,
                                kDay - 1,
                                -kDay,
                                -kDay - 1,
                                45 * kDay + 3'723'004'005,
                                -700'000 * kDay + 17,
                                1'709'209'996'789'012,
                                253'402'300'799'999'999};

Value of_type(TypeId type, int64_t number) { return {type, int128_t{number}}; }
Value date(int64_t days) { return of_type(TypeId::kDate, days); }
Value time(int64_t micros) { return of_type(TypeId::kTime, micros); }
Value timestamp(int64_t micros) { return of_type(TypeId::kTimestamp, micros); }
Value word(const char* text) { return Value::varchar(text); }
Value span(int32_t months, int32_t days, int64_t micros) {
  return {TypeId::kInterval, Interval{months, days, micros}};
}

TEST(Moments, EpochsCountFrom1970) {
  for (const int64_t micros : kMoments) {
    for (const TypeId type : {TypeId::kTimestamp, TypeId::kTimestampTz}) {
      // As in DuckDB, those with a zone are rounded twice.
      const double seconds = static_cast<double>(micros) / 1e6;
      EXPECT_NEAR(of("epoch", {of_type(type, micros)}).real(), seconds, 1e-9 + std::fabs(seconds) * 1e-15);
      EXPECT_EQ(number("epoch_ms", {of_type(type, micros)}), micros / 1000);
      EXPECT_EQ(number("epoch_us", {of_type(type, micros)}), micros);
    }
    const int64_t days = oracle::floor(micros, kDay), clock = micros - days * kDay;
    EXPECT_EQ(of("epoch", {date(days)}).real(), static_cast<double>(days * 86'400));
    EXPECT_EQ(number("epoch_ms", {date(days)}), days * 86'400'000);
    EXPECT_EQ(number("epoch_us", {date(days)}), days * kDay);
    EXPECT_EQ(of("epoch", {time(clock)}).real(), static_cast<double>(clock) / 1e6);
    EXPECT_EQ(number("epoch_ms", {time(clock)}), clock / 1000);
    EXPECT_EQ(number("epoch_ns", {time(clock)}), clock * 1000);
    EXPECT_EQ(number("epoch_ms", {Value::int64(micros / 1000)}), micros / 1000 * 1000);
    EXPECT_EQ(number("make_timestamp", {Value::int64(micros)}), micros);
    EXPECT_EQ(number("make_date", {Value::int32(static_cast<int32_t>(days))}), days);
    // 2000-01-01 is day 2451545, which begins at midnight here.
    const int64_t julian = days - oracle::day_number(2000, 1, 1) + 2'451'545;
    EXPECT_EQ(of("julian", {date(days)}).real(), static_cast<double>(julian));
    EXPECT_NEAR(of("julian", {timestamp(micros)}).real(),
                static_cast<double>(julian) + static_cast<double>(clock) / static_cast<double>(kDay), 1e-9);
  }
}

TEST(Moments, NamedPartsAreThoseOfDatePart) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"millennium", "millennium"}, {"century", "century"}, {"decade", "decade"}, {"year", "year"},
      {"quarter", "quarter"},       {"month", "month"},     {"week", "week"},     {"day", "day"},
      {"dayofweek", "dow"},         {"isodow", "isodow"},   {"dayofyear", "doy"}, {"isoyear", "isoyear"},
      {"yearweek", "yearweek"},     {"era", "era"}};
  constexpr const char* kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                   "Friday", "Saturday", "Sunday"};
  constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
  for (const int64_t micros : kMoments) {
    const int64_t days = oracle::floor(micros, kDay), clock = micros - days * kDay;
    for (const auto& [name, part] : kNames) {
      EXPECT_EQ(number(name, {timestamp(micros)}), oracle::part(part, days)) << name;
      EXPECT_EQ(number(name, {date(days)}), oracle::part(part, days)) << name;
    }
    EXPECT_EQ(of("dayname", {date(days)}).text(), kDays[oracle::iso_weekday(days) - 1]);
    EXPECT_EQ(of("monthname", {timestamp(micros)}).text(), kMonths[oracle::civil(days).month - 1]);
    EXPECT_EQ(number("millisecond", {timestamp(micros)}), clock % 60'000'000 / 1000);
    EXPECT_EQ(number("nanosecond", {timestamp(micros)}), clock % 60'000'000 * 1000);
    EXPECT_EQ(number("nanosecond", {Value(Type::timestamp(TimeUnit::kNano), int128_t{clock} * 1000 + 7)}),
              clock % 60'000'000 * 1000 + 7);
    for (const char* name : {"timezone", "timezone_hour", "timezone_minute"})
      EXPECT_EQ(number(name, {timestamp(micros)}), 0);
    const std::chrono::hh_mm_ss parts{std::chrono::microseconds{clock}};
    const Value hour = Value::int64(parts.hours().count()), minute = Value::int64(parts.minutes().count()),
                second = Value::float64(static_cast<double>(clock % 60'000'000) / 1e6);
    EXPECT_EQ(number("make_time", {hour, minute, second}), clock);
    const oracle::Civil civil = oracle::civil(days);
    const auto i64 = [](int64_t value) { return Value::int64(value); };
    EXPECT_EQ(
        number("make_timestamp", {i64(civil.year), i64(civil.month), i64(civil.day), hour, minute, second}),
        micros);
  }
}

TEST(Moments, UnitsMakeIntervals) {
  struct Unit {
    const char* name;
    int64_t months, days, micros;
  };
  constexpr Unit kUnits[] = {{"to_millennia", 12'000, 0, 0},
                             {"to_centuries", 1'200, 0, 0},
                             {"to_decades", 120, 0, 0},
                             {"to_years", 12, 0, 0},
                             {"to_quarters", 3, 0, 0},
                             {"to_months", 1, 0, 0},
                             {"to_weeks", 0, 7, 0},
                             {"to_days", 0, 1, 0},
                             {"to_hours", 0, 0, 3'600'000'000},
                             {"to_minutes", 0, 0, 60'000'000},
                             {"to_seconds", 0, 0, 1'000'000},
                             {"to_milliseconds", 0, 0, 1'000},
                             {"to_microseconds", 0, 0, 1}};
  for (const auto& [name, months, days, micros] : kUnits) {
    const bool is_real =
        name == std::string_view("to_seconds") || name == std::string_view("to_milliseconds");
    for (const int n : {0, 1, -1, 2, -3, 14, 178'000}) {
      const Value expected =
          span(static_cast<int32_t>(months * n), static_cast<int32_t>(days * n), micros * n);
      if (int64_t{months} * n == static_cast<int32_t>(months * n)) {
        EXPECT_EQ(of(name, {is_real ? Value::float64(n) : Value::int64(n)}), expected) << name;
        if (micros == 0) {
          EXPECT_EQ(of(name, {Value::int32(n)}), expected) << name;
        }
      } else {
        EXPECT_THROW(of(name, {Value::int64(n)}), UserError) << name;
      }
    }
    if (!is_real && micros != 1) {
      EXPECT_THROW(of(name, {Value::int64(INT64_MAX)}), UserError) << name;
    }
  }
}

TEST(Moments, SumsAreThoseOfTheirParts) {
  for (const int32_t n : {0, 1, -1, 40, -400}) {
    for (const int64_t days : {0L, -1L, 20'000L, -300'000L}) {
      EXPECT_EQ(of("+", {date(days), Value::int32(n)}), date(days + n));
      EXPECT_EQ(of("+", {Value::int32(n), date(days)}), date(days + n));
      EXPECT_EQ(of("-", {date(days), Value::int32(n)}), date(days - n));
      EXPECT_EQ(of("-", {date(days), date(n)}), Value::int64(days - n));
      EXPECT_EQ(of("+", {date(days), time(5)}), timestamp(days * kDay + 5));
      EXPECT_EQ(of("+", {time(5), date(days)}), timestamp(days * kDay + 5));
      EXPECT_EQ(of("-", {timestamp(days * kDay), timestamp(n * kDay + 7)}),
                span(0, static_cast<int32_t>((days * kDay - n * kDay - 7) / kDay),
                     (days * kDay - n * kDay - 7) % kDay));
    }
    for (const int64_t clock : {int64_t{0}, int64_t{1}, kDay / 2, kDay - 1}) {
      const int64_t later = clock + n * 3'600'000'001, earlier = clock - n * 3'600'000'001;
      const Value by = span(5, 6, n * 3'600'000'001);
      EXPECT_EQ(of("+", {time(clock), by}), time(later - oracle::floor(later, kDay) * kDay));
      EXPECT_EQ(of("+", {by, time(clock)}), time(later - oracle::floor(later, kDay) * kDay));
      EXPECT_EQ(of("-", {time(clock), by}), time(earlier - oracle::floor(earlier, kDay) * kDay));
    }
    const Value interval = span(3, -5, 7);
    EXPECT_EQ(of("*", {interval, Value::int64(n)}), span(3 * n, -5 * n, 7 * n));
    EXPECT_EQ(of("*", {Value::int64(n), interval}), span(3 * n, -5 * n, 7 * n));
    EXPECT_EQ(of("+", {interval, span(n, n, n)}), span(3 + n, -5 + n, 7 + n));
    EXPECT_EQ(of("-", {interval, span(n, n, n)}), span(3 - n, -5 - n, 7 - n));
    EXPECT_EQ(of("-", {span(n, 2 * n, 3)}), span(-n, -2 * n, -3));
  }
  EXPECT_THROW(of("-", {span(INT32_MIN, 0, 0)}), UserError);
  EXPECT_THROW(of("+", {span(INT32_MAX, 0, 0), span(1, 0, 0)}), UserError);
  EXPECT_THROW(of("*", {span(0, 0, INT64_MAX), Value::int64(2)}), UserError);
}

TEST(Moments, InfiniteOnesAreTheLimits) {
  for (const int64_t limit : {int64_t{INT32_MAX}, -int64_t{INT32_MAX}}) {
    EXPECT_TRUE(of("isinf", {date(limit)}).is_true());
    EXPECT_FALSE(of("isfinite", {date(limit)}).is_true());
    EXPECT_TRUE(of("isfinite", {date(limit - (limit > 0 ? 1 : -1))}).is_true());
  }
  for (const int64_t limit : {INT64_MAX, -INT64_MAX}) {
    for (const TypeId type : {TypeId::kTimestamp, TypeId::kTimestampTz}) {
      EXPECT_TRUE(of("isinf", {of_type(type, limit)}).is_true());
      EXPECT_FALSE(of("isfinite", {of_type(type, limit)}).is_true());
      EXPECT_FALSE(of("isinf", {of_type(type, limit - (limit > 0 ? 1 : -1))}).is_true());
    }
  }
}

// The answers are DuckDB's.
TEST(Moments, KnownValues) {
  const auto text = [](const char* name, const std::vector<Value>& args) {
    return of(name, args).to_string();
  };
  const auto at = [](TypeId type, const char* value) { return expr::cast(word(value), type, false); };
  const Value long_one = at(TypeId::kInterval, "14 months 3 days 1.5 seconds");
  EXPECT_EQ(of("epoch", {long_one}).real(), 37000801.5);
  EXPECT_EQ(text("epoch_ms", {long_one}), "36547201500");
  EXPECT_EQ(text("year", {long_one}), "1");
  EXPECT_EQ(text("month", {long_one}), "2");
  EXPECT_EQ(text("decade", {at(TypeId::kInterval, "300 months")}), "2");
  EXPECT_EQ(text("century", {at(TypeId::kInterval, "-1300 months")}), "-1");
  EXPECT_EQ(text("quarter", {at(TypeId::kInterval, "-5 months")}), "0");
  EXPECT_EQ(text("hour", {at(TypeId::kInterval, "3 days 90 minutes")}), "1");
  EXPECT_EQ(text("date_trunc", {word("month"), long_one}), "1 year 2 months");
  EXPECT_EQ(text("date_trunc", {word("hour"), at(TypeId::kInterval, "3 days 90 minutes")}),
            "3 days 01:00:00");
  const Value before = at(TypeId::kTime, "11:59:59"), noon = at(TypeId::kTime, "12:00:00");
  EXPECT_EQ(text("date_diff", {word("minute"), before, noon}), "1");
  EXPECT_EQ(text("date_sub", {word("minute"), before, noon}), "0");
  for (const TypeId type : {TypeId::kDate, TypeId::kTimestamp}) {
    EXPECT_EQ(text("date_diff", {word("month"), at(type, "2024-01-31"), at(type, "2024-03-01")}), "2");
    EXPECT_EQ(text("date_sub", {word("month"), at(type, "2024-01-31"), at(type, "2024-03-01")}), "1");
  }
  EXPECT_EQ(
      text("age", {at(TypeId::kTimestamp, "2024-03-31"), at(TypeId::kTimestamp, "2024-02-29 12:00:00")}),
      "1 month 1 day 12:00:00");
  EXPECT_EQ(text("make_date", {Value::int32(-1)}), "1969-12-31");
}

}  // namespace
}  // namespace moments_test
}  // namespace lanewise
