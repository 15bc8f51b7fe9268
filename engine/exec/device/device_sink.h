#pragma once

#include <vector>

#include "exec/device/aggregates.h"
#include "exec/pipeline.h"

namespace lanewise::exec {

/// What a pipeline's sink asks of kernels.
struct DeviceSink {
  bool aggregates_rows = false;             ///< else rows are collected
  std::vector<DeviceAggregate> aggregates;  ///< without groups
  std::vector<ExprPtr> inputs;              ///< an argument and a filter for each of them; null: none
  int64_t offset = 0;                       ///< collected rows that are left out at the beginning
  int64_t limit = -1;                       ///< negative: all

  /// Over the rows that come to the sink; null: those rows themselves.
  const std::vector<ExprPtr>* expressions() const { return aggregates_rows ? &inputs : nullptr; }

  /// Throws expr::NotOnDevice.
  explicit DeviceSink(const plan::Node* sink);
};

}  // namespace lanewise::exec
