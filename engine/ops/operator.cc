#include "ops/operator.h"

#include <string>

#include "expr/codegen/traits.h"

namespace lanewise::ops {

std::vector<bool> StepOperator::of_input(const plan::StepSpec& step, const std::vector<bool>& before) const {
  std::vector<bool> after;
  for (const size_t column : columns_below(*step.node))
    after.push_back(column != plan::kComputed && before[column]);
  return after;
}

void StepOperator::add_work(BranchWork& /*work*/, const plan::StepSpec& /*step*/,
                            double /*input_rows*/) const {}

std::unique_ptr<DeviceSink> SinkOperator::open_on_device(const plan::Pipeline& pipeline) const {
  throw expr::NotOnDevice(std::string("the operator ") + plan::name(pipeline.sink->payload) +
                          " is not supported on GPUs");
}

std::vector<ExprPtr> SinkOperator::expressions(const plan::Pipeline& /*pipeline*/) const { return {}; }

double SinkOperator::add_work(Work& /*work*/, const plan::Pipeline& /*pipeline*/, double rows) const {
  return rows;
}

}  // namespace lanewise::ops
