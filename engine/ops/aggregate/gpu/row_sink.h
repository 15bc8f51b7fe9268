#pragma once

#include "ops/aggregate/gpu/row_aggregation.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// Aggregates that need all their rows together.
class RowSink : public DeviceSink {
 public:
  /// Whether the aggregation has some.
  static bool takes(const plan::Aggregate& aggregate);
  explicit RowSink(const plan::Aggregate& aggregate) : rows_(aggregate) {}

  codegen::SinkForm form() const override { return {codegen::SinkForm::Takes::kColumns, &rows_.columns()}; }
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  const RowAggregation rows_;
};

}  // namespace lanewise::ops
