#include "ops/operator.h"
#include "codegen/program_maker.h"
#include "ops/filter/filter.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

std::vector<ExprPtr> predicates_of(const plan::Node& node) {
  return {std::get<plan::Filter>(node.payload).predicate};
}

class FilterOperator : public StepOperator {
 public:
  OpenStep open(const plan::StepSpec& step, const StepInput& /*input*/) const override {
    return {.step = std::make_unique<Filter>(predicates_of(*step.node))};
  }
  void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
              const StepInput& /*input*/) const override {
    program.filter(predicates_of(*step.node));
  }
  void add_work(BranchWork& work, const plan::StepSpec& step, double /*input_rows*/) const override {
    work.narrow(predicates_of(*step.node));
  }
};

}  // namespace

const StepOperator& filter_operator() {
  static const FilterOperator filter;
  return filter;
}

}  // namespace lanewise::ops
