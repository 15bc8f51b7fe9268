#pragma once

#include <vector>

#include "data/source.h"
#include "expr/expr.h"

namespace lanewise::ops {

/// Ranges of columns outside of which rows fail one of these predicates, which are over a scan's columns.
std::vector<NeededRange> needed_ranges(const std::vector<ExprPtr>& predicates);

}  // namespace lanewise::ops
