#pragma once

#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// Rows in their order, all of them or some in the middle: LIMIT, and pipelines without an operator at their
/// end.
class CollectSink : public DeviceSink {
 public:
  /// Those from `offset` on, at most `limit`; negative: all. The schema outlives the sink.
  explicit CollectSink(const Schema& schema, int64_t offset = 0, int64_t limit = -1)
      : schema_(schema), offset_(offset), limit_(limit) {}

  codegen::SinkForm form() const override { return {codegen::SinkForm::Takes::kColumns}; }
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  const Schema& schema_;
  const int64_t offset_, limit_;
};

}  // namespace lanewise::ops
