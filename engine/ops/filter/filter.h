#pragma once

#include <vector>

#include "expr/expr.h"
#include "ops/step.h"

namespace lanewise::ops {

/// Narrows the chunk's active set by predicates, one after the other: each sees only rows that passed the
/// previous ones. Cheap ones go first, see order_by_cost().
class Filter : public Step {
 public:
  explicit Filter(const std::vector<ExprPtr>& predicates);
  void run(Chunk& chunk, EvalContext& context) const override;
  const std::vector<ExprPtr>& predicates() const { return predicates_; }

 private:
  std::vector<ExprPtr> predicates_;
};

/// The operands of all top-level ANDs of the predicates.
std::vector<ExprPtr> conjuncts(const std::vector<ExprPtr>& predicates);

/// Whether it may have no value but an error, for some row.
bool may_raise(const Expr& expr);

/// A rough time per row, in units of one comparison of two numbers.
double cost(const Expr& expr);

/// The predicates, cheapest first. Those that can raise an error stay after all that precede them.
std::vector<ExprPtr> order_by_cost(std::vector<ExprPtr> predicates);

}  // namespace lanewise::ops
