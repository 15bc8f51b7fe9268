#include "ops/operator.h"

#include "expr/codegen/emitter.h"

namespace lanewise::ops {

void StepOperator::add_to(codegen::ProgramMaker& /*program*/, const plan::StepSpec& step,
                          const StepInput& /*input*/) const {
  throw expr::NotOnDevice(std::string(plan::name(step.node->payload)) + " is not supported on GPUs");
}

void StepOperator::add_work(BranchWork& /*rows*/, const plan::Node& /*node*/, double /*input_rows*/) const {}

std::unique_ptr<DeviceSink> SinkOperator::open_on_device(const plan::Pipeline& pipeline) const {
  throw expr::NotOnDevice(std::string("the operator ") + plan::name(pipeline.sink->payload) +
                          " is not supported on GPUs");
}

std::vector<ExprPtr> SinkOperator::expressions(const plan::Pipeline& /*pipeline*/) const { return {}; }

double SinkOperator::add_work(Work& /*work*/, const plan::Pipeline& /*pipeline*/, double rows) const {
  return rows;
}

}  // namespace lanewise::ops
