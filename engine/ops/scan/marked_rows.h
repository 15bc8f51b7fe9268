#pragma once

#include <memory>

#include "ops/join/build.h"
#include "ops/scan/input.h"
#include "plan/node.h"

namespace lanewise::ops {

/// The rows of a build side without a match, with NULLs for the left child's columns, or (kRightSemi) those
/// with a match, as rows of the join's node. Read after all probes have ended.
std::unique_ptr<Input> read_marked_rows(const plan::Node& join, std::shared_ptr<const Build> build,
                                        const Slicing& slicing, MemoryBudget* budget);

}  // namespace lanewise::ops
