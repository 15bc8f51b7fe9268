#pragma once

#include "data/kernels/values-inl.h"

namespace lanewise::kernel {

/// The parts of dates and times that SQL names.
enum class DatePart : u8 {
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

}  // namespace lanewise::kernel
