#pragma once

#include <vector>

#include "plan/node.h"

namespace lanewise::sql {

/// The input of a filter with these predicates. If it is a window and they keep only the first rows of each
/// partition, as in `row_number() OVER (...) <= 3`, the window learns how many (top-n per group).
plan::NodePtr with_first_rows(plan::NodePtr input, const std::vector<ExprPtr>& predicates);

}  // namespace lanewise::sql
