#pragma once

#include <functional>
#include <vector>

#include "ops/scan/column_store.h"
#include "ops/work/work.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// What is known before a pipeline runs. The rows of results are in host memory.
struct Known {
  std::vector<double> result_rows;    ///< results of the pipelines before it
  ops::ColumnStore* store = nullptr;  ///< hot columns: gives their sizes, and the zones that can be skipped
  /// Whether GPU memory holds a column of a scan's source with that many rows. Not set: it does not.
  std::function<bool(const Source& source, size_t column, int64_t rows)> resident = {};
};

/// Rows of a source of unknown size.
inline constexpr double kUnknownRows = 1e6;

/// The work of a pipeline, estimated from its expressions, from hot columns, and from the
/// plan's estimates of groups.
ops::Work work_of(const plan::Pipeline& pipeline, const Known& known);

}  // namespace lanewise::exec
