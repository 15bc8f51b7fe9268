#pragma once

#include <cstdint>

#include "data/arrow.h"
#include "data/type.h"

namespace lanewise::arrow {

/// How Arrow lays a column out, beside the type that it becomes.
enum class Layout : uint8_t {
  kNull,
  kBits,        // booleans
  kSame,        // our physical layout
  kText32,      // 32-bit offsets
  kText64,      // 64-bit offsets
  kViews,       // 16-byte views
  kFixedBytes,  // `size` bytes a row
  kDecimal,     // `size` bytes a row, to be narrowed or widened
  kScaled,      // int32 or int64 (`size`) times `factor`
  kMonths,
  kDayMillis,
  kMonthDayNano,
};

struct Form {
  Type type;
  Layout layout;
  int32_t size = 0;
  int64_t factor = 1;
};

/// Throws UserError that names the field and its format.
[[noreturn]] void refuse(const ArrowSchema& field, const char* what);

/// Reads the format of a field that is no struct; refuses what is not supported.
Form form_of(const ArrowSchema& field);

}  // namespace lanewise::arrow
