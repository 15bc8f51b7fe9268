#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "expr/expr.h"

namespace lanewise::codegen {

/// How programs and kernels see a sink.
struct SinkForm {
  /// How the sink uses a row: as columns, in states of aggregates, or in groups.
  enum class Takes { kColumns, kStates, kGroups };
  Takes takes = Takes::kColumns;
  /// Expressions over the rows that reach the sink; null: the rows themselves.
  const std::vector<ExprPtr>* expressions = nullptr;
  /// The number of columns that a kernel writes; none: one per expression.
  std::optional<size_t> outputs = {};
  /// Whether the sink computes expressions for only some of the rows.
  bool picks = false;
};

}  // namespace lanewise::codegen
