#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanewise::expr {

/// The parts of dates and times that SQL names.
enum class DatePart : uint8_t {
  kMillennium,
  kCentury,
  kDecade,
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,  ///< only a function, nanosecond(x), not a word
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kIsoYear,
  kYearWeek,
  kEra,
  kEpoch,
  kJulian,
  kTimezone,
  kTimezoneHour,
  kTimezoneMinute,
};

/// The part that `word` names, in any case: "year", "yrs", "dow".
std::optional<DatePart> parse_date_part(std::string_view word);

}  // namespace lanewise::expr
