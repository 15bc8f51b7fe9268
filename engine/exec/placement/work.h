#pragma once

#include <functional>
#include <vector>

#include "exec/placement/estimate.h"
#include "ops/scan/column_store.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// What is known before a pipeline runs. The rows of results are in host memory.
struct Known {
  std::vector<double> result_rows;    ///< results of the pipelines before it
  ops::ColumnStore* store = nullptr;  ///< hot columns: gives their sizes, and the zones that can be skipped
  /// Whether GPU memory holds a column of a scan's source with that many rows. Not set: it does not.
  std::function<bool(const Source& source, size_t column, int64_t rows)> resident = {};
};

/// Defaults for what is not known.
inline constexpr double kPasses = 0.2;       ///< fraction of rows that pass a predicate, as in DuckDB
inline constexpr double kUsualText = 32;     ///< bytes
inline constexpr double kRowsOfGroup = 10;   ///< rows per group
inline constexpr double kUnknownRows = 1e6;  ///< rows of a source of unknown size

/// Bytes of a row with these columns, if none has been read.
double usual_bytes(const Schema& schema);

/// The work of a pipeline, estimated from its expressions, from hot columns, and from the
/// plan's estimates of groups.
Work work_of(const plan::Pipeline& pipeline, const Known& known);

}  // namespace lanewise::exec
