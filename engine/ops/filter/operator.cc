#include "ops/operator.h"
#include "codegen/program_maker.h"
#include "expr/functions/predicates.h"
#include "ops/filter/filter.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

std::vector<ExprPtr> predicates_of(const plan::Node& node) {
  return {std::get<plan::Filter>(node.payload).predicate};
}

class FilterOperator : public StepOperator {
 public:
  StepColumns columns(const plan::StepSpec& step) const override { return input_columns(*step.node); }
  RowNeeds needs(const plan::StepSpec& step) const override {
    return {.predicates = predicates_of(*step.node)};
  }
  double time(const plan::StepSpec& step, const StepInput& /*input*/) const override {
    return expr::cost(*std::get<plan::Filter>(step.node->payload).predicate);
  }
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
