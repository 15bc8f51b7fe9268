#pragma once

#include <span>
#include <string_view>

#include "data/column.h"

namespace lanewise::ops {

/// The concatenated rows of plain columns of one type, as one column. Charged to `budget` under the
/// name `what`, a string literal.
ColumnPtr concat(std::span<const ColumnPtr> parts, MemoryBudget* budget, std::string_view what);

}  // namespace lanewise::ops
