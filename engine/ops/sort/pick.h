#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/column.h"

namespace lanewise::ops {

/// A row of one of several columns.
struct RowOf {
  uint32_t part;
  uint32_t row;
};

/// The values parts[r.part][r.row] for all r of `rows`; the parts are plain columns of `type`.
ColumnPtr pick(Type type, std::span<const ColumnPtr> parts, std::span<const RowOf> rows, MemoryBudget* budget,
               std::string_view what);

}  // namespace lanewise::ops
