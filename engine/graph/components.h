#pragma once

#include <vector>

#include "graph/graph.h"

namespace lanewise::graph {

/// label[v] is the least vertex of v's component; the direction of edges is ignored. On all threads.
std::vector<int64_t> components(const Graph& graph);

/// How many components these labels name.
int64_t count_components(const std::vector<int64_t>& label);

}  // namespace lanewise::graph
