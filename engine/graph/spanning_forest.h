#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace lanewise::graph {

struct SpanningForest {
  std::vector<int64_t> edges;  ///< their numbers in the graph, ascending
  double weight = 0;           ///< their sum, added in that order
  int64_t trees = 0;           ///< components
};

/// The minimum spanning forest; the direction of edges is ignored. Of edges of equal weight,
/// the one with the smaller number is preferred.
SpanningForest spanning_forest(const Graph& graph);

}  // namespace lanewise::graph
