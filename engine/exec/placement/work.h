#pragma once

#include <functional>
#include <vector>

#include "exec/inputs/column_store.h"
#include "exec/pipeline.h"
#include "exec/placement/estimate.h"

namespace lanewise::exec {

/// What is known before a pipeline runs.
struct Known {
  std::vector<double> result_rows;  ///< of the pipelines before it
  ColumnStore* store = nullptr;     ///< hot columns: their sizes are known, and zones that need not be read
  /// Whether the GPU's memory has a column of a scan's source, of so many rows. Not set: it has none.
  std::function<bool(const Source& source, size_t column, int64_t rows)> resident = {};
};

/// What is not known is assumed.
inline constexpr double kPasses = 0.2;       ///< share of rows that a predicate leaves, as DuckDB has it
inline constexpr double kUsualText = 32;     ///< bytes
inline constexpr double kRowsOfGroup = 10;   ///< that are put into one group
inline constexpr double kUnknownRows = 1e6;  ///< of a source that does not know it

/// The work of a pipeline, as far as it is known from its expressions, from hot columns, and from what a
/// plan estimates of groups.
Work work_of(const Pipeline& pipeline, const Known& known);

}  // namespace lanewise::exec
