#include "expr/casts/date_part.h"

#include <array>
#include <utility>

#include "data/kernels/calendar-inl.h"
#include "expr/casts/characters.h"

namespace lanewise::expr {

namespace {

using enum DatePart;

constexpr auto kWords = std::to_array<std::pair<std::string_view, DatePart>>({
    {"year", kYear},
    {"years", kYear},
    {"yr", kYear},
    {"yrs", kYear},
    {"y", kYear},
    {"month", kMonth},
    {"months", kMonth},
    {"mon", kMonth},
    {"mons", kMonth},
    {"day", kDay},
    {"days", kDay},
    {"d", kDay},
    {"dayofmonth", kDay},
    {"decade", kDecade},
    {"decades", kDecade},
    {"dec", kDecade},
    {"decs", kDecade},
    {"century", kCentury},
    {"centuries", kCentury},
    {"cent", kCentury},
    {"c", kCentury},
    {"millennium", kMillennium},
    {"millenniums", kMillennium},
    {"millennia", kMillennium},
    {"millenium", kMillennium},
    {"mil", kMillennium},
    {"mils", kMillennium},
    {"microsecond", kMicrosecond},
    {"microseconds", kMicrosecond},
    {"us", kMicrosecond},
    {"usec", kMicrosecond},
    {"usecs", kMicrosecond},
    {"usecond", kMicrosecond},
    {"useconds", kMicrosecond},
    {"millisecond", kMillisecond},
    {"milliseconds", kMillisecond},
    {"ms", kMillisecond},
    {"msec", kMillisecond},
    {"msecs", kMillisecond},
    {"msecond", kMillisecond},
    {"mseconds", kMillisecond},
    {"second", kSecond},
    {"seconds", kSecond},
    {"sec", kSecond},
    {"secs", kSecond},
    {"s", kSecond},
    {"minute", kMinute},
    {"minutes", kMinute},
    {"min", kMinute},
    {"mins", kMinute},
    {"m", kMinute},
    {"hour", kHour},
    {"hours", kHour},
    {"hr", kHour},
    {"hrs", kHour},
    {"h", kHour},
    {"epoch", kEpoch},
    {"dow", kDayOfWeek},
    {"dayofweek", kDayOfWeek},
    {"weekday", kDayOfWeek},
    {"isodow", kIsoDayOfWeek},
    {"week", kWeek},
    {"weeks", kWeek},
    {"w", kWeek},
    {"weekofyear", kWeek},
    {"doy", kDayOfYear},
    {"dayofyear", kDayOfYear},
    {"quarter", kQuarter},
    {"quarters", kQuarter},
    {"yearweek", kYearWeek},
    {"isoyear", kIsoYear},
    {"era", kEra},
    {"timezone", kTimezone},
    {"timezone_hour", kTimezoneHour},
    {"timezone_minute", kTimezoneMinute},
    {"julian", kJulian},
    {"jd", kJulian},
});

}  // namespace

std::optional<DatePart> parse_date_part(std::string_view word) {
  for (const auto& [name, part] : kWords) {
    if (same_word(word, name)) return part;
  }
  return std::nullopt;
}

const std::string& interval_words() {
  static const std::string words = [] {
    std::string lines;
    for (const auto& [name, part] : kWords) {
      if (part <= kMicrosecond)
        lines.append(1, static_cast<char>('a' + static_cast<int>(part))).append(name) += '\n';
    }
    return lines;
  }();
  return words;
}

Interval unit_of(DatePart part) {
  switch (part) {
    case kMillennium:
      return {.months = 12'000};
    case kCentury:
      return {.months = 1'200};
    case kDecade:
      return {.months = 120};
    case kYear:
    case kIsoYear:
      return {.months = 12};
    case kQuarter:
      return {.months = 3};
    case kMonth:
      return {.months = 1};
    case kWeek:
    case kYearWeek:
      return {.days = 7};
    case kDay:
    case kDayOfWeek:
    case kIsoDayOfWeek:
    case kDayOfYear:
    case kJulian:
      return {.days = 1};
    case kHour:
      return {.micros = kernel::kMicrosPerHour};
    case kMinute:
      return {.micros = kernel::kMicrosPerMinute};
    case kSecond:
    case kEpoch:
      return {.micros = kernel::kMicrosPerSecond};
    case kMillisecond:
      return {.micros = 1000};
    case kMicrosecond:
    case kNanosecond:
      return {.micros = 1};
    case kEra:
    case kTimezone:
    case kTimezoneHour:
    case kTimezoneMinute:
      return {};
  }
  return {};
}

}  // namespace lanewise::expr
