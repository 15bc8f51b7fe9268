#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "expr/expr.h"

namespace lanewise::exec {

/// What a pipeline's sink is to programs and kernels.
struct SinkForm {
  /// What becomes of a row that comes to it.
  enum class Takes { kColumns, kStates, kGroups };
  Takes takes = Takes::kColumns;
  /// Over the rows that come to it; null: those rows themselves.
  const std::vector<ExprPtr>* expressions = nullptr;
  /// Columns that a kernel leaves; none: as many as there are expressions.
  std::optional<size_t> outputs = {};
  /// Whether it computes expressions of some rows only.
  bool picks = false;
};

}  // namespace lanewise::exec
