#pragma once

#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// A join whose keys repeat: rows that found runs of 1 to 65,536 matches. One core takes pair after pair; on
/// a GPU the lanes of a warp come to them in each of the engine's forms.
std::vector<Group> run_pairs(const PairsOptions& options, Bench& bench);

}  // namespace lanewise::cli::bench
