#pragma once

#include <vector>

#include "ops/gpu/branch/device_sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// The build side of a join. The columns that the join keeps come first, then the keys.
class DeviceBuildSink : public DeviceSink {
 public:
  /// `rows` are those of the build side, `left` the other one's; the join outlives the sink. Throws
  /// expr::NotOnDevice.
  DeviceBuildSink(const plan::Join& join, const Schema& left, const Schema& rows);

  codegen::SinkForm form() const override { return {codegen::SinkForm::Takes::kColumns, &columns_}; }
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  const plan::Join& join_;
  std::vector<ExprPtr> columns_;
  Schema schema_;  // of those columns
};

}  // namespace lanewise::ops
