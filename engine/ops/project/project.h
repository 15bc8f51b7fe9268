#pragma once

#include <vector>

#include "expr/expr.h"
#include "ops/step.h"

namespace lanewise::ops {

class StepOperator;

/// Replaces the chunk's columns by the values of expressions, for the active rows.
class Project : public Step {
 public:
  explicit Project(std::vector<ExprPtr> exprs) : exprs_(std::move(exprs)) {}
  void run(Chunk& chunk, EvalContext& context) const override;

 private:
  std::vector<ExprPtr> exprs_;
};

/// The node Project.
const StepOperator& project_operator();

}  // namespace lanewise::ops
