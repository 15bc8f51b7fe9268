#pragma once

#include <optional>
#include <vector>

#include "exec/pipeline/pipeline.h"
#include "exec/results/results.h"

namespace lanewise::exec {

/// As far as it is known.
bool keys_repeat(const Results& results, size_t build);

/// A pipeline as devices run it: an outer join with a further condition, whose keys repeat, becomes an inner
/// join, an anti join with NULLs, and one that marks the build side's rows, each with a branch of its own.
class OuterJoins {
 public:
  /// Both outlive it. Throws expr::NotOnDevice where there would be too many branches.
  OuterJoins(const Pipeline& pipeline, const Results& results);

  const Pipeline& pipeline() const { return divided_ ? *divided_ : whole_; }

 private:
  void divide(Branch branch, size_t from);
  /// The branch with another kind of join in place of a step. `columns`: what then becomes of its rows; none:
  /// nothing.
  Branch joined(const Branch& branch, size_t step, plan::JoinKind kind, std::vector<ExprPtr> columns);

  const Pipeline& whole_;
  const Results& results_;
  std::optional<Pipeline> divided_;
  std::vector<plan::NodePtr> nodes_;  // of its steps
};

}  // namespace lanewise::exec
