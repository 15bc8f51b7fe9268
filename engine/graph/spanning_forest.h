#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace lanewise::graph {

struct SpanningForest {
  std::vector<int64_t> edges;  ///< their numbers in the graph, ascending
  double weight = 0;           ///< their sum, in that order
  int64_t trees = 0;           ///< components
};

/// The forest of least weight that joins what the edges join; their direction is ignored. Of equally heavy
/// edges the one with the lesser number counts.
SpanningForest spanning_forest(const Graph& graph);

}  // namespace lanewise::graph
