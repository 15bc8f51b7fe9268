#pragma once

#include <memory>
#include <vector>

#include "data/arrow/arrow_device_rows.h"
#include "data/column.h"
#include "exec/pipeline/options.h"
#include "plan/node.h"

namespace lanewise::exec {

class RowStream;

struct Result {
  Table table;
  std::vector<OperatorProfile> profile;  ///< in the order of the plan's lines
  bool from_hot_columns = false;
  /// The rows, if they stayed on the GPU: see Options::keep_on_device. Then the table has none.
  std::shared_ptr<const arrow::DeviceRecords> kept = nullptr;
};

/// Runs the plan. Throws UserError (including MemoryError) or CancelledError, without side effects.
/// A `stream` receives the result's rows; then Result::table has none.
Result execute(const plan::NodePtr& root, const Options& options, RowStream* stream = nullptr);

}  // namespace lanewise::exec
