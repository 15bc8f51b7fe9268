#include "ops/aggregate/gpu/groups/group_sink.h"

#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/aggregate/gpu/groups/group_run.h"
#include "ops/aggregate/gpu/groups/state_kernels.h"
#include "ops/aggregate/gpu/groups/state_run.h"

namespace lanewise::ops {

void GroupSink::add_expressions() {
  for (const ExprPtr& key : plan_.keys()) expressions_.insert(expressions_.end(), {key, nullptr});
  for (const GroupPlan::Input& in : plan_.inputs())
    expressions_.insert(expressions_.end(), {in.arg, in.filter});
}

codegen::SinkForm GroupSink::form() const {
  using Takes = codegen::SinkForm::Takes;
  if (states_) return {Takes::kStates, &expressions_, 0};
  return {Takes::kGroups, &expressions_, plan_.partial().size()};
}

std::unique_ptr<SinkKernels> GroupSink::kernels(const codegen::KernelBuilder& builder) const {
  if (states_) return std::make_unique<StateKernels>(builder, plan_, *states_);
  return std::make_unique<GroupKernels>(builder, plan_);
}

std::unique_ptr<SinkRun> GroupSink::start(const Setting& setting) const {
  if (states_) return std::make_unique<StateRun>(plan_, *states_, setting);
  return std::make_unique<GroupRun>(plan_, setting);
}

}  // namespace lanewise::ops
