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
  OpenStep open(const plan::Node& node, const StepInput& /*input*/) const override {
    return {.step = std::make_unique<Filter>(predicates_of(node))};
  }
  void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
              const StepInput& /*input*/) const override {
    program.filter(predicates_of(*step.node));
  }
  void add_work(BranchWork& rows, const plan::Node& node, double /*input_rows*/) const override {
    rows.narrow(predicates_of(node));
  }
};

}  // namespace

const StepOperator& filter_operator() {
  static const FilterOperator filter;
  return filter;
}

}  // namespace lanewise::ops
