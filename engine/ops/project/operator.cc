#include "ops/operator.h"
#include <algorithm>

#include "codegen/program_maker.h"
#include "expr/functions/predicates.h"
#include "ops/project/project.h"
#include "ops/run/first_fault.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

const std::vector<ExprPtr>& exprs_of(const plan::Node& node) {
  return std::get<plan::Project>(node.payload).exprs;
}

class ProjectOperator : public StepOperator {
 public:
  StepColumns columns(const plan::StepSpec& step) const override {
    StepColumns columns;
    for (const ExprPtr& expr : exprs_of(*step.node))
      columns.below.push_back(expr->kind == Expr::Kind::kColumn ? expr->column : kComputed);
    columns.has_named = std::ranges::find(columns.below, kComputed) != columns.below.end();
    return columns;
  }
  double time(const plan::StepSpec& step, const StepInput& /*input*/) const override {
    double sum = 0;
    for (const ExprPtr& expr : exprs_of(*step.node)) sum += expr::cost(*expr);
    return sum;
  }
  OpenStep open(const plan::StepSpec& step, const StepInput& /*input*/) const override {
    return {.step = std::make_unique<Project>(exprs_of(*step.node))};
  }
  void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
              const StepInput& /*input*/) const override {
    program.project(exprs_of(*step.node));
  }
  std::vector<bool> of_input(const plan::StepSpec& step, const std::vector<bool>& before) const override {
    std::vector<bool> after;
    for (const ExprPtr& expr : exprs_of(*step.node)) after.push_back(reads_only(*expr, before));
    return after;
  }
  void add_work(BranchWork& work, const plan::StepSpec& step, double /*input_rows*/) const override {
    work.evaluate(exprs_of(*step.node));
  }
};

}  // namespace

const StepOperator& project_operator() {
  static const ProjectOperator project;
  return project;
}

}  // namespace lanewise::ops
