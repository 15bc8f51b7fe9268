#pragma once

#include <vector>

#include "expr/expr.h"
#include "ops/step.h"

namespace lanewise::ops {

class StepOperator;

/// Narrows the chunk's active set by predicates, one after the other: each sees only rows that passed the
/// previous ones. Cheap ones go first, see expr::order_by_cost().
class Filter : public Step {
 public:
  explicit Filter(const std::vector<ExprPtr>& predicates);
  void run(Chunk& chunk, EvalContext& context) const override;
  const std::vector<ExprPtr>& predicates() const { return predicates_; }

 private:
  std::vector<ExprPtr> predicates_;
};

/// The node Filter.
const StepOperator& filter_operator();

}  // namespace lanewise::ops
