#pragma once

#include <optional>
#include <vector>

#include "exec/pipeline.h"
#include "exec/results.h"

namespace lanewise::exec {

/// The build side of a join of the pipeline that is in parts, and whose turn it is: that of none before it
/// is.
std::optional<size_t> join_in_parts(const Pipeline& pipeline, const Results& results);

/// The branches of `pipeline` that come to the join with this build side, up to there.
std::vector<Branch> branches_before(const Pipeline& pipeline, size_t build);

/// From the join on: a branch for each of its parts, one after the other, and the pipeline that is left.
struct SplitByParts {
  /// Ends in rows of the join, or of steps after it that need no rows but its own.
  Pipeline parts;
  /// Where those rows go; nothing: `parts` ends in the pipeline's own sink.
  std::optional<Pipeline> rest;
};
/// `left` are the rows that came to the join, by part.
SplitByParts split_by_parts(const Pipeline& pipeline, size_t build, std::vector<Table> left,
                            const Results& results);

/// Gives `rest` the rows that it waits for.
void set_rows(Pipeline& rest, Table rows);

}  // namespace lanewise::exec
