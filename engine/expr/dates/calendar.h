#pragma once

#include <cstdint>

#include "data/format.h"
#include "data/kernels/calendar-inl.h"
#include "expr/gpu/dates-inl.h"

/// Calendar arithmetic on days and microseconds since 1970-01-01: the functions of kernel:: that the host
/// calls too.
namespace lanewise::expr {

using kernel::civil;
using kernel::date_of;
using kernel::floor_div;
using kernel::floor_mod;
using kernel::kMicrosPerDay;
using kernel::kMicrosPerHour;
using kernel::kMicrosPerMinute;
using kernel::kMicrosPerSecond;

inline bool is_finite(int64_t timestamp) { return !kernel::is_infinite(timestamp); }
inline bool is_finite_date(int32_t days) { return !kernel::is_infinite(days); }

}  // namespace lanewise::expr
