#pragma once

#include <vector>

#include "exec/gpu/branch/device_sink.h"
#include "plan/node.h"

namespace lanewise::exec {

/// The build side of a join. The columns that the join keeps come first, then the keys.
class BuildSink : public DeviceSink {
 public:
  /// `rows` are those of the build side, `left` the other one's; the join outlives the sink. Throws
  /// expr::NotOnDevice.
  BuildSink(const plan::Join& join, const Schema& left, const Schema& rows);

  SinkForm form() const override { return {SinkForm::Takes::kColumns, &columns_}; }
  std::unique_ptr<SinkKernels> kernels(const KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  const plan::Join& join_;
  std::vector<ExprPtr> columns_;
  Schema schema_;  // of those columns
};

}  // namespace lanewise::exec
