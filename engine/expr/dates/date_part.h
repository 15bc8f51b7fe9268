#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/type.h"

namespace lanewise::expr {

/// The parts of dates and times that SQL names; first those of kernel::IntervalPart.
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

/// The words for parts that intervals are made of, as kernel::interval_part() takes them.
const std::string& interval_words();

/// One of the part, in months, days or microseconds: {12, 0, 0} for a year. All 0 for an era and for parts of
/// the zone.
Interval unit_of(DatePart part);

}  // namespace lanewise::expr
