#pragma once

#include <span>
#include <vector>

#include "study/bench/bench.h"
#include "study/plot/plot.h"

namespace lanewise::cli::bench {

/// What can be drawn of the groups: GB/s over selectivity, GB/s over row length, occupancy and GB/s over the
/// threshold of refill; each where at least two values of x were measured.
std::vector<plot::Curves> plots_of(std::span<const Group> groups);

}  // namespace lanewise::cli::bench
