#pragma once

#include <memory>
#include <vector>

#include "expr/expr.h"
#include "ops/step.h"

namespace lanewise::ops {

/// UNNEST: for each row as many as its longest list has elements, each with the row's columns and then one
/// element of each list, NULL if the list is shorter. Rows without elements produce none.
class Unnest : public Expander {
 public:
  explicit Unnest(std::vector<ExprPtr> lists) : lists_(std::move(lists)) {}
  std::unique_ptr<Expansion> expand(const Chunk& in, uint32_t rows, EvalContext& context) const override;

 private:
  std::vector<ExprPtr> lists_;
};

}  // namespace lanewise::ops
