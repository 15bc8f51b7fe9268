#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/type.h"
#include "expr/gpu/date_part-inl.h"

namespace lanewise::expr {

using kernel::DatePart;

/// The part named `word`, in any case: "year", "yrs", "dow".
std::optional<DatePart> parse_date_part(std::string_view word);

/// The words for parts of intervals, as kernel::interval_part() takes them.
const std::string& interval_words();

/// One unit of the part in months, days or microseconds: {12, 0, 0} for a year. All 0 for an era and for
/// parts of the zone.
Interval unit_of(DatePart part);

}  // namespace lanewise::expr
