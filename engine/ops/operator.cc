#include "ops/operator.h"

#include <numeric>
#include <string>

#include "expr/codegen/traits.h"

namespace lanewise::ops {

StepColumns input_columns(const plan::Node& step) {
  StepColumns columns;
  columns.below.resize(step.children[0]->schema.size());
  std::iota(columns.below.begin(), columns.below.end(), size_t{0});
  columns.below.resize(step.schema.size(), kComputed);
  return columns;
}

RowNeeds StepOperator::needs(const plan::StepSpec& /*step*/) const { return {}; }

double StepOperator::time(const plan::StepSpec& /*step*/, const StepInput& /*input*/) const {
  return kLookupTime;
}

std::vector<bool> StepOperator::of_input(const plan::StepSpec& step, const std::vector<bool>& before) const {
  std::vector<bool> after;
  for (const size_t column : columns(step).below) after.push_back(column != kComputed && before[column]);
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
