#pragma once

#include <optional>
#include <vector>

#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// The build side of the pipeline's first join in parts whose preceding joins are done.
std::optional<size_t> join_in_parts(const plan::Pipeline& pipeline, const ops::Results& results);

/// The branches of `pipeline` that reach the join with this build side, cut before that join.
std::vector<plan::Branch> branches_before(const plan::Pipeline& pipeline, size_t build);

/// The work from the join on: one branch per part, in sequence, and the remaining pipeline.
struct SplitByParts {
  /// Produces rows of the join, or of later steps that depend on them alone.
  plan::Pipeline parts;
  /// Consumes those rows; absent: `parts` ends in the pipeline's own sink.
  std::optional<plan::Pipeline> rest;
};
/// `left` are the rows that reached the join, by part.
SplitByParts split_by_parts(const plan::Pipeline& pipeline, size_t build, std::vector<Table> left,
                            const ops::Results& results);

/// Gives `rest` the rows that it reads.
void set_rows(plan::Pipeline& rest, Table rows);

}  // namespace lanewise::exec
