#pragma once

#include <optional>
#include <vector>

#include "ops/aggregate/gpu/groups/group_plan.h"
#include "ops/aggregate/gpu/groups/state_layout.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// The sink of aggregates and DISTINCT. Groups are in a table; if there is only one and its cells allow it,
/// each block keeps a part of it in registers.
class GroupSink : public DeviceSink {
 public:
  /// `what` is an Aggregate, or the schema of the rows of a DISTINCT. Throws expr::NotOnDevice.
  template <class What>
  explicit GroupSink(const What& what) : plan_(what) {
    add_expressions();
    if (StateLayout::fits(plan_)) states_.emplace(plan_);
  }

  codegen::SinkForm form() const override;
  std::unique_ptr<SinkKernels> kernels(const codegen::KernelBuilder& builder) const override;
  std::unique_ptr<SinkRun> start(const Setting& setting) const override;

 private:
  void add_expressions();

  const GroupPlan plan_;
  std::optional<StateLayout> states_;  // none: there is a table
  std::vector<ExprPtr> expressions_;   // pairs: see GroupPlan::key_pair()
};

}  // namespace lanewise::ops
