#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/column.h"
#include "expr/expr.h"

namespace lanewise::ops {

/// Minimum and maximum of some rows of a column, for skipping. Strings keep prefixes: low is a lower
/// bound, high an upper bound (absent where no short one exists).
struct Bounds {
  bool known = false;  ///< low and high are valid; else there are no values, or no bounds are known
  Value low;
  Value high;
  bool high_is_open = false;  ///< strings: no upper bound
  int64_t rows = 0;
  int64_t nulls = 0;
};

/// Rows of a zone: the part of a chunk that has its own bounds.
inline constexpr int64_t kZoneRows = int64_t{1} << 15;

/// Bounds of rows [first, first + rows). Floats are in the order of ORDER BY: NaN is the greatest.
Bounds bounds_of(const Column& column, int64_t first, int64_t rows);
/// Bounds of each zone of the column; the last one may be shorter.
std::vector<Bounds> zones_of(const Column& column);
/// Bounds of all rows of the zones together.
Bounds merge(const std::vector<Bounds>& zones);

/// False if `predicate` holds for no row whose columns lie within `bounds(column)` (null: nothing is known).
/// Understands comparisons with constants, IN lists, LIKE and starts_with by their prefix, IS [NOT] NULL, AND
/// and OR.
bool may_hold(const Expr& predicate, const std::function<const Bounds*(size_t column)>& bounds);

}  // namespace lanewise::ops
