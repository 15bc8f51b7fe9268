#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

/// Dates and times in the plainest terms, on std::chrono: what expr/gpu/dates-inl.h and intervals-inl.h are
/// tested against. Days and microseconds count from 1970.
namespace lanewise::oracle {

inline constexpr int64_t kDay = 86'400'000'000;

inline int64_t floor(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

struct Civil {
  int64_t year;
  int month, day;
};

/// std::chrono has the years from -32767 to 32767 only: what repeats after 400 years is moved there.
inline Civil civil(int64_t days) {
  constexpr int64_t kDaysOf400Years = 146'097;
  const int64_t times = floor(days, kDaysOf400Years);
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{days - times * kDaysOf400Years}}};
  return {static_cast<int>(date.year()) + times * 400, static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}
inline int64_t day_number(int64_t year, int month, int day) {
  using namespace std::chrono;
  const int64_t times = floor(year - 1970, 400);
  const year_month_day date{std::chrono::year{static_cast<int>(year - times * 400)},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  return sys_days{date}.time_since_epoch().count() + times * 146'097;
}
inline int days_in_month(int64_t year, int month) {
  const int64_t next = month == 12 ? day_number(year + 1, 1, 1) : day_number(year, month + 1, 1);
  return static_cast<int>(next - day_number(year, month, 1));
}
/// Monday is 1.
inline int iso_weekday(int64_t days) { return static_cast<int>(days + 3 - floor(days + 3, 7) * 7) + 1; }
/// A week belongs to the year of its Thursday.
inline int64_t thursday(int64_t days) { return days - iso_weekday(days) + 4; }

/// The calendar's parts, by SQL's words.
inline int64_t part(std::string_view word, int64_t days) {
  const Civil date = civil(days);
  const int64_t iso_year = civil(thursday(days)).year;
  const int64_t iso_week = (thursday(days) - day_number(iso_year, 1, 1)) / 7 + 1;
  // There is no century 0: the one before 1 is -1.
  const auto period = [&](int64_t years) {
    return date.year > 0 ? (date.year + years - 1) / years : -((years - date.year) / years);
  };
  if (word == "millennium") return period(1000);
  if (word == "century") return period(100);
  if (word == "decade") return date.year / 10;
  if (word == "year") return date.year;
  if (word == "quarter") return (date.month + 2) / 3;
  if (word == "month") return date.month;
  if (word == "week") return iso_week;
  if (word == "day") return date.day;
  if (word == "dow") return iso_weekday(days) % 7;
  if (word == "isodow") return iso_weekday(days);
  if (word == "doy") return days - day_number(date.year, 1, 1) + 1;
  if (word == "isoyear") return iso_year;
  if (word == "yearweek") return iso_year * 100 + (iso_year > 0 ? iso_week : -iso_week);
  return date.year > 0 ? 1 : 0;  // era
}

/// The first day of what contains a day; years and centuries count from 0 here.
inline int64_t start(std::string_view word, int64_t days) {
  const Civil date = civil(days);
  const auto year = [&](int64_t years) { return day_number(date.year / years * years, 1, 1); };
  if (word == "millennium") return year(1000);
  if (word == "century") return year(100);
  if (word == "decade") return year(10);
  if (word == "year") return year(1);
  if (word == "quarter") return day_number(date.year, date.month - (date.month - 1) % 3, 1);
  if (word == "month") return day_number(date.year, date.month, 1);
  if (word == "week" || word == "yearweek") return days - iso_weekday(days) + 1;
  if (word == "isoyear") {
    const int64_t first = day_number(civil(thursday(days)).year, 1, 4);  // it is in the first week
    return first - iso_weekday(first) + 1;
  }
  return days;
}

/// The day `months` later, at most the month's last one.
inline int64_t add_months(int64_t days, int64_t months) {
  Civil date = civil(days);
  const int64_t month = date.year * 12 + date.month - 1 + months;
  date.year = floor(month, 12);
  date.month = static_cast<int>(month - date.year * 12) + 1;
  return day_number(date.year, date.month, std::min(date.day, days_in_month(date.year, date.month)));
}

/// How many whole months lie between two timestamps, counted one by one from a close guess.
inline int64_t whole_months(int64_t from, int64_t to) {
  if (from > to) return -whole_months(to, from);
  const int64_t first = floor(from, kDay), time = from - first * kDay;
  const auto later = [&](int64_t months) { return add_months(first, months) * kDay + time; };
  int64_t months = (floor(to, kDay) - first) / 32;
  while (later(months + 1) <= to) ++months;
  return months;
}

}  // namespace lanewise::oracle
