#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/neighbours.h"

namespace lanewise::graph {

/// label[v] is the smallest vertex of v's component; the direction of edges is ignored. On all threads.
/// Throws UserError for more than 2^32 vertices.
std::vector<uint32_t> components(const Graph& graph);
/// The same for a graph given by its neighbours, where each edge is stored at both of its ends. Fast if the
/// neighbours of a vertex ascend.
std::vector<uint32_t> components(const Neighbours& neighbours);

/// The number of components with these labels.
int64_t count_components(const std::vector<uint32_t>& label);

}  // namespace lanewise::graph
