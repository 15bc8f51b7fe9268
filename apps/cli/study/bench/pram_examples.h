#pragma once

#include <cstdint>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// The worked examples of the study of 2016, with the answers of this program: `input`, `published`, `answer`
/// in each description. They have no levels.
std::vector<Group> worked_examples();

/// The memory accesses of a reduction by a tree of degree k: those of the study's formula, and those counted.
std::vector<Group> tree_accesses(uint64_t n);

}  // namespace lanewise::cli::bench
