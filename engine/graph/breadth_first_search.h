#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/neighbours.h"

namespace lanewise::graph {

/// Distances of vertices from one vertex, along directed edges.
struct Levels {
  std::vector<int32_t> level;  ///< edges of a shortest path from the root; -1: unreachable
  int64_t reached = 0;         ///< number of reachable vertices, including the root
  int64_t levels = 0;          ///< number of different levels
};

/// Breadth-first search from any vertex of a graph of fewer than 2^31 vertices, on all threads: for large
/// frontiers, unreached vertices look for a reached neighbour (Beamer, Asanović, Patterson,
/// "Direction-optimizing breadth-first search", 2012). Throws UserError for more vertices, or a root that is
/// not a vertex.
class BreadthFirstSearch {
 public:
  enum class Use { kOnce, kOften };
  /// Sorts the edges by their sources; with `kOften` also by their targets, which takes
  /// longer than it saves in a single search.
  explicit BreadthFirstSearch(const Graph& graph, Use use = Use::kOften);

  Levels from(int64_t root) const;

 private:
  uint32_t vertices_;
  bool both_ways_;
  Neighbours targets_, sources_;
};

inline Levels breadth_first_search(const Graph& graph, int64_t root) {
  return BreadthFirstSearch(graph, BreadthFirstSearch::Use::kOnce).from(root);
}

/// Throws UserError unless `root` is one of the vertices, and there are few enough to search.
void check_search(int64_t vertices, int64_t root);

/// Counts the vertices that `level` reaches.
Levels count_levels(std::vector<int32_t> level);

}  // namespace lanewise::graph
