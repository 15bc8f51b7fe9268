#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "exec/pipeline.h"
#include "exec/results.h"

namespace lanewise::exec {

/// The build side of a join of the pipeline that is in parts, and whose turn it is: that of none before it is.
std::optional<size_t> join_in_parts(const Pipeline& pipeline, const Results& results);

/// The branches of `pipeline` that come to the join with this build side, up to there.
std::vector<Branch> branches_before(const Pipeline& pipeline, size_t build);
/// Those that have nothing to do with it.
std::vector<Branch> branches_beside(const Pipeline& pipeline, size_t build);
/// The pipeline with `rows` instead of those.
Pipeline with_rows_beside(const Pipeline& pipeline, size_t build, Table rows);

/// The pipeline with branches for the parts of that join instead, one after the other: `left` are the rows that
/// came to it, by part.
Pipeline by_parts(const Pipeline& pipeline, size_t build, std::vector<Table> left);

}  // namespace lanewise::exec
