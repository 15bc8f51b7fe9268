#pragma once

#include <memory>
#include <vector>

#include "expr/expr.h"
#include "ops/step.h"

namespace lanewise::ops {

class StepOperator;

/// UNNEST: for each row as many as its longest list has elements, each with the columns `kept` of the row and
/// then one element of each list, NULL if the list is shorter. Rows without elements produce none.
class Unnest : public Expander {
 public:
  Unnest(std::vector<ExprPtr> lists, std::vector<size_t> kept)
      : lists_(std::move(lists)), kept_(std::move(kept)) {}
  std::unique_ptr<Expansion> expand(const Chunk& in, uint32_t rows, EvalContext& context) const override;

 private:
  std::vector<ExprPtr> lists_;
  std::vector<size_t> kept_;
};

/// The node Unnest.
const StepOperator& unnest_operator();

}  // namespace lanewise::ops
