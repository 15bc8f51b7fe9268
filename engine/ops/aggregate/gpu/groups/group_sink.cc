#include "ops/aggregate/gpu/groups/group_sink.h"

#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/aggregate/gpu/groups/group_run.h"

namespace lanewise::ops {

void GroupSink::add_expressions() {
  for (const ExprPtr& key : plan_.keys()) expressions_.insert(expressions_.end(), {key, nullptr});
  for (const GroupPlan::Input& in : plan_.inputs())
    expressions_.insert(expressions_.end(), {in.arg, in.filter});
}

std::unique_ptr<SinkKernels> GroupSink::kernels(const codegen::KernelBuilder& builder) const {
  return std::make_unique<GroupKernels>(builder, plan_);
}

std::unique_ptr<SinkRun> GroupSink::start(const Setting& setting) const {
  return std::make_unique<GroupRun>(plan_, setting);
}

}  // namespace lanewise::ops
