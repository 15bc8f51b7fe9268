#pragma once

#include <memory>
#include <vector>

#include "data/arrow/arrow_device_rows.h"
#include "data/column.h"
#include "ops/run/options.h"
#include "plan/node.h"

namespace lanewise::ops {
class RowStream;
}

namespace lanewise::exec {

struct Result {
  Table table;
  std::vector<ops::OperatorProfile> profile;  ///< in the order of the plan's lines
  bool from_hot_columns = false;
  /// The rows, if they stayed on the GPU: see Options::keep_on_device. Then the table has none.
  std::shared_ptr<const arrow::DeviceRecords> kept = nullptr;
};

/// Runs the plan. Throws UserError (including MemoryError) or CancelledError, without side effects.
/// A `stream` receives the result's rows; then Result::table has none.
Result execute(const plan::NodePtr& root, const ops::Options& options, ops::RowStream* stream = nullptr);

}  // namespace lanewise::exec
