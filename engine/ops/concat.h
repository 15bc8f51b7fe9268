#pragma once

#include <span>
#include <string_view>

#include "data/column.h"

namespace lanewise::ops {

/// The rows of plain columns of one type, one after the other, as one column. Charged to `budget` under the
/// name `what`, a string literal.
ColumnPtr concat(std::span<const ColumnPtr> parts, MemoryBudget* budget, std::string_view what);

}  // namespace lanewise::ops
