#pragma once

#include <optional>
#include <vector>

#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::ops {

/// A pipeline as devices run it: an outer join with a further condition, whose keys repeat, becomes an inner
/// join, an anti join with NULLs, and one that marks the build side's rows, each with a branch of its own.
class OuterJoins {
 public:
  /// Both outlive it. Throws expr::NotOnDevice where there would be too many branches.
  OuterJoins(const plan::Pipeline& pipeline, const Results& results);

  const plan::Pipeline& pipeline() const { return divided_ ? *divided_ : whole_; }

 private:
  void divide(plan::Branch branch, size_t from);
  /// The branch with another kind of join in place of a step. `columns`: what then becomes of its rows; none:
  /// nothing.
  plan::Branch joined(const plan::Branch& branch, size_t step, plan::JoinKind kind,
                      std::vector<ExprPtr> columns);

  const plan::Pipeline& whole_;
  const Results& results_;
  std::optional<plan::Pipeline> divided_;
  std::vector<plan::NodePtr> nodes_;  // of its steps
};

}  // namespace lanewise::ops
