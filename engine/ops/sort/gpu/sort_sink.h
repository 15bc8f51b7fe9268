#pragma once

#include <vector>

#include "ops/gpu/branch/device_sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// ORDER BY, with its limit.
class SortSink : public DeviceSink {
 public:
  /// Both outlive the sink.
  SortSink(const plan::Sort& sort, const Schema& rows);

  codegen::SinkForm form() const override {
    return {codegen::SinkForm::Takes::kColumns, &expressions_, expressions_.size() - sort_.keys.size(),
            sort_.limit >= 0};
  }
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  const plan::Sort& sort_;
  const Schema& rows_;
  std::vector<ExprPtr> expressions_;  // the rows' columns, then the keys
};

}  // namespace lanewise::ops
