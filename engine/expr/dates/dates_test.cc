#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "data/format.h"
#include "data/kernels/calendar-inl.h"
#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"
#include "expr/testing/calendar_oracle.h"
#include "expr/testing/calls.h"

/// The functions that host and device share, against an oracle that shares nothing with them.
namespace lanewise::expr {
namespace {

using calls::number;
using calls::of;

constexpr int64_t kDay = oracle::kDay;

/// The ends of weeks, months, years and centuries, the limits, and random days.
std::vector<int64_t> days() {
  std::vector<int64_t> days;
  for (const int64_t year :
       {-5'877'641, -10'001, -400, -101, -100, -99,  -1,   0,    1,    4,    100,  101,  1000,   1001,
        1582,       1900,    1969, 1970, 1972, 1999, 2000, 2001, 2020, 2024, 2100, 9999, 10'000, 5'881'579}) {
    for (const int month : {1, 2, 3, 12}) {
      for (const int64_t by : {-1, 0, 1, 27, 28, 30}) days.push_back(oracle::day_number(year, month, 1) + by);
    }
  }
  for (const int64_t limit : {int64_t{INT32_MAX} - 1, -int64_t{INT32_MAX} + 1}) days.push_back(limit);
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) days.push_back(static_cast<int64_t>(random() % 2'000'000) - 1'000'000);
  std::erase_if(days, [](int64_t day) { return day <= -INT32_MAX || day >= INT32_MAX; });
  return days;
}
/// Those of them that timestamps have.
std::vector<int64_t> timestamps() {
  std::vector<int64_t> result;
  for (const int64_t day : days()) {
    if (day <= -106'000'000 || day >= 106'000'000) continue;
    for (const int64_t time : {int64_t{0}, int64_t{1}, int64_t{45'296'789'012}, kDay - 1})
      result.push_back(day * kDay + time);
  }
  return result;
}

Value date(int64_t days) { return {TypeId::kDate, int128_t{days}}; }
Value timestamp(int64_t micros) { return {TypeId::kTimestamp, int128_t{micros}}; }
Value word(std::string_view text) { return Value::varchar(std::string(text)); }

constexpr std::string_view kParts[] = {"millennium", "century", "decade",   "year", "quarter",
                                       "month",      "week",    "day",      "dow",  "isodow",
                                       "doy",        "isoyear", "yearweek", "era"};

TEST(Dates, CalendarIsTheOracles) {
  for (int64_t day = -1'000'000; day < 1'000'000; day += 7) {
    const kernel::Date date = kernel::civil(day);
    const oracle::Civil expected = oracle::civil(day);
    ASSERT_EQ(date.year, expected.year) << day;
    ASSERT_EQ(date.month, expected.month) << day;
    ASSERT_EQ(date.day, expected.day) << day;
    ASSERT_EQ(kernel::day_number(date.year, date.month, date.day), day);
    ASSERT_EQ(kernel::days_in_month(date.year, date.month), oracle::days_in_month(date.year, date.month));
  }
  EXPECT_EQ(kernel::day_number(2000, 3, 1), 11017);
  // The days of the first and last second of 64 bits.
  for (const int64_t day : {INT64_MIN / 86'400 - 1, INT64_MAX / 86'400}) {
    const kernel::Date date = kernel::civil(day);
    EXPECT_EQ(date.year, oracle::civil(day).year);
    EXPECT_EQ(kernel::day_number(date.year, date.month, date.day), day);
  }
}

TEST(Dates, PartsAreTheOracles) {
  for (const int64_t day : days()) {
    for (const std::string_view part : kParts)
      ASSERT_EQ(number("date_part", {word(part), date(day)}), oracle::part(part, day))
          << part << " of " << day;
  }
  for (const int64_t micros : timestamps()) {
    const int64_t day = oracle::floor(micros, kDay), time = micros - day * kDay;
    for (const std::string_view part : kParts)
      ASSERT_EQ(number("date_part", {word(part), timestamp(micros)}), oracle::part(part, day))
          << part << micros;
    const std::chrono::hh_mm_ss clock{std::chrono::microseconds{time}};
    ASSERT_EQ(number("hour", {timestamp(micros)}), clock.hours().count());
    ASSERT_EQ(number("minute", {timestamp(micros)}), clock.minutes().count());
    ASSERT_EQ(number("second", {timestamp(micros)}), clock.seconds().count());
    ASSERT_EQ(number("microsecond", {timestamp(micros)}),
              clock.seconds().count() * 1'000'000 + clock.subseconds().count());
  }
}

TEST(Dates, TruncationIsTheOracles) {
  constexpr int64_t kHour = kDay / 24;
  for (const int64_t micros : timestamps()) {
    const int64_t day = oracle::floor(micros, kDay);
    for (const std::string_view part : kParts) {
      if (part == "era") continue;
      const int64_t start = oracle::start(part, day) * kDay;
      ASSERT_EQ(number("date_trunc", {word(part), timestamp(micros)}), start) << part << micros;
      ASSERT_EQ(number("date_trunc", {word(part), date(day)}), start) << part << micros;
    }
    ASSERT_EQ(number("date_trunc", {word("hour"), timestamp(micros)}), oracle::floor(micros, kHour) * kHour);
  }
}

TEST(Dates, DifferencesAreTheOracles) {
  const std::vector<int64_t> all = timestamps();
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t from = all[i], to = all[(i * 7 + 1) % all.size()];
    if (std::abs(to / kDay - from / kDay) > 40'000'000) continue;  // counting months would take long
    const int64_t a = oracle::floor(from, kDay), b = oracle::floor(to, kDay);
    const auto differ = [&](std::string_view part) {
      return number("date_diff", {word(part), timestamp(from), timestamp(to)});
    };
    const auto months = [](int64_t day) {
      return oracle::civil(day).year * 12 + oracle::civil(day).month - 1;
    };
    ASSERT_EQ(differ("year"), oracle::civil(b).year - oracle::civil(a).year);
    ASSERT_EQ(differ("month"), months(b) - months(a));
    ASSERT_EQ(differ("quarter"), months(b) / 3 - months(a) / 3);
    ASSERT_EQ(differ("isoyear"), oracle::part("isoyear", b) - oracle::part("isoyear", a));
    ASSERT_EQ(differ("day"), b - a);
    ASSERT_EQ(differ("week"), (b - a) / 7);
    ASSERT_EQ(differ("hour"), oracle::floor(to, kDay / 24) - oracle::floor(from, kDay / 24));
    const auto between = [&](std::string_view part) {
      return number("date_sub", {word(part), timestamp(from), timestamp(to)});
    };
    ASSERT_EQ(between("month"), oracle::whole_months(from, to)) << from << " " << to;
    ASSERT_EQ(between("year"), oracle::whole_months(from, to) / 12);
    ASSERT_EQ(between("day"), (to - from) / kDay);
  }
}

TEST(Dates, SumsAreTheOracles) {
  for (const int64_t micros : timestamps()) {
    const int64_t day = oracle::floor(micros, kDay);
    for (const Interval by : {Interval{1, 0, 0}, Interval{-1, 0, 0}, Interval{13, 40, -1},
                              Interval{-25, -3, kDay + 5}, Interval{0, 1, -2 * kDay}}) {
      const int64_t later = oracle::add_months(day, by.months) + by.days;
      const Value interval(TypeId::kInterval, by);
      ASSERT_EQ(number("+", {timestamp(micros), interval}), later * kDay + micros - day * kDay + by.micros);
      ASSERT_EQ(number("+", {date(day), interval}), later * kDay + by.micros);
    }
    const int64_t last = day - oracle::civil(day).day +
                         oracle::days_in_month(oracle::civil(day).year, oracle::civil(day).month);
    ASSERT_EQ(number("last_day", {date(day)}), last);
    const oracle::Civil parts = oracle::civil(day);
    ASSERT_EQ(
        number("make_date", {Value::int64(parts.year), Value::int64(parts.month), Value::int64(parts.day)}),
        day);
  }
}

// The years of the C library's strftime() do not have a fixed width.
TEST(Dates, StrftimeIsAsInTheCLibrary) {
  constexpr const char* kFormat = "%a %A %w %u %d %h %b %B %m %y %Y %G %V %U %W %j %H %I %p %M %S %%";
  for (const int64_t micros : timestamps()) {
    const int64_t seconds = oracle::floor(micros, 1'000'000), fraction = micros - seconds * 1'000'000;
    const time_t time = seconds;
    tm parts{};
    gmtime_r(&time, &parts);
    if (parts.tm_year + 1900 <= 1000 || parts.tm_year + 1900 >= 9999) continue;
    char expected[200];
    ASSERT_GT(std::strftime(expected, sizeof(expected), kFormat, &parts), 0U);
    ASSERT_EQ(of("strftime", {timestamp(micros), word(kFormat)}).text(), expected);
    ASSERT_GT(std::strftime(expected, sizeof(expected), "%Y-%m-%d %T|%Y-%m-%d|%T|+00", &parts), 0U);
    ASSERT_EQ(of("strftime", {timestamp(micros), word("%c|%x|%X|%z%Z")}).text(), expected);

    const std::string numbers = fmt::format("{}.{}.{} {}:{}:{} {} {} {:06} {:03} {:09}", parts.tm_mday,
                                            parts.tm_mon + 1, (parts.tm_year + 1900) % 100, parts.tm_hour,
                                            parts.tm_min, parts.tm_sec, (parts.tm_hour + 11) % 12 + 1,
                                            parts.tm_yday + 1, fraction, fraction / 1000, fraction * 1000);
    ASSERT_EQ(of("strftime", {word("%-d.%-m.%-y %-H:%-M:%-S %-I %-j %f %g %n"), timestamp(micros)}).text(),
              numbers);
  }
}

// The expected answers are DuckDB's.
TEST(Dates, StrftimeIsAsInSql) {
  const auto text = [](const Value& value, std::string_view format) {
    return of("strftime", {value, word(format)}).to_string();
  };
  EXPECT_EQ(text(date(oracle::day_number(-44, 3, 5)), "%Y %y %-I%p"), "-44 44 12AM");
  EXPECT_EQ(text(date(oracle::day_number(33, 4, 3)), "%Y %y %G"), "0033 33 0033");
  EXPECT_EQ(text(date(INT32_MAX), "%Y"), "infinity");
  EXPECT_EQ(text(timestamp(-INT64_MAX), "%Y"), "-infinity");
}

// The expected answers are DuckDB's.
TEST(Dates, IntervalsAreAsInSql) {
  const auto text = [](const char* name, const std::vector<Value>& args) {
    return of(name, args).to_string();
  };
  const auto at = [](int64_t year, int month, int day, int64_t micros) {
    return timestamp(oracle::day_number(year, month, day) * kDay + micros);
  };
  EXPECT_EQ(text("age", {at(2024, 3, 1, 0), at(2023, 1, 31, 0)}), "1 year 1 month 1 day");
  EXPECT_EQ(text("age", {at(2023, 1, 31, 5), at(2024, 3, 1, 0)}), "-1 year -1 month -23:59:59.999995");
  const Value interval(TypeId::kInterval, Interval{13, 10, 3'600'000'000});
  EXPECT_EQ(text("*", {interval, Value::float64(1.5)}), "1 year 7 months 30 days 01:30:00");
  EXPECT_EQ(text("/", {interval, Value::float64(7)}), "1 month 27 days 03:34:17.167543");
  EXPECT_EQ(text("-", {at(2024, 3, 1, 0), at(2024, 2, 28, 1)}), "1 day 23:59:59.999999");
}

}  // namespace
}  // namespace lanewise::expr
