#pragma once

#include <memory>

#include "exec/input.h"
#include "ops/join/build.h"
#include "plan/node.h"

namespace lanewise::exec {

/// Rows of a build side by what the join's probes noted, as rows of the join's node: those without a match,
/// with NULLs for the left child's columns, or (kRightSemi) those with one. To be read once the probes have
/// ended.
std::unique_ptr<Input> read_marked_rows(const plan::Node& join, std::shared_ptr<const ops::Build> build,
                                        const Slicing& slicing, MemoryBudget* budget);

}  // namespace lanewise::exec
