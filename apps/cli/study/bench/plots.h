#pragma once

#include <span>
#include <vector>

#include "study/bench/bench.h"
#include "study/plot/plot.h"

namespace lanewise::cli::bench {

/// The plots of the groups: GB/s over selectivity, GB/s over row length, occupancy and GB/s over the
/// threshold of refill. Each needs at least two values of x.
std::vector<plot::Curves> plots_of(std::span<const Group> groups);

}  // namespace lanewise::cli::bench
