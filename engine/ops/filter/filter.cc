#include "ops/filter/filter.h"

#include "expr/evaluation/evaluate.h"
#include "expr/functions/predicates.h"

namespace lanewise::ops {

Filter::Filter(const std::vector<ExprPtr>& predicates)
    : predicates_(expr::order_by_cost(expr::conjuncts(predicates))) {}

void Filter::run(Chunk& chunk, EvalContext& context) const {
  for (const ExprPtr& predicate : predicates_) {
    if (chunk.active.none()) return;
    chunk.active = narrow(*predicate, chunk.columns, chunk.active, context);
  }
}

}  // namespace lanewise::ops
