#pragma once

#include <vector>

#include "ops/aggregate/gpu/aggregates.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// Aggregates without keys: each block has a state, which the host puts together.
class StateSink : public DeviceSink {
 public:
  /// Whether blocks have a state for all of its aggregates; else there is one group, of all rows.
  static bool takes(const plan::Aggregate& aggregate);
  /// Throws expr::NotOnDevice.
  explicit StateSink(const plan::Aggregate& aggregate);

  codegen::SinkForm form() const override { return {codegen::SinkForm::Takes::kStates, &expressions_, 0}; }
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  std::vector<DeviceAggregate> aggregates_;
  std::vector<ExprPtr> expressions_;  // an argument and a filter of each
};

}  // namespace lanewise::ops
