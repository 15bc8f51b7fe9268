#pragma once

#include <vector>

#include "ops/aggregate/gpu/groups/group_plan.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// The sink of GROUP BY and DISTINCT.
class GroupSink : public DeviceSink {
 public:
  /// `what` is an Aggregate, or the schema of the rows of a DISTINCT. Throws expr::NotOnDevice.
  template <class What>
  explicit GroupSink(const What& what) : plan_(what) {
    add_expressions();
  }

  codegen::SinkForm form() const override {
    return {codegen::SinkForm::Takes::kGroups, &expressions_, plan_.partial().size()};
  }
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  void add_expressions();

  const GroupPlan plan_;
  std::vector<ExprPtr> expressions_;  // pairs: see GroupPlan::key_pair()
};

}  // namespace lanewise::ops
