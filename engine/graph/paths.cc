#include "graph/paths.h"

#include <algorithm>
#include <cmath>

#include "graph/adjacency.h"

namespace lanewise::graph {

std::optional<std::vector<int64_t>> shortest_path(const Graph& graph, const Distances& distances,
                                                  int64_t from, int64_t to) {
  if (!std::isfinite(distances.at(from, to))) return std::nullopt;
  const Adjacency adjacency(graph);
  // Breadth first over the edges of shortest paths from `from`, so that cycles of length 0 end.
  std::vector<int64_t> before(static_cast<size_t>(graph.vertices), -1);
  std::vector<int64_t> reached = {from};
  before[static_cast<size_t>(from)] = from;
  for (size_t i = 0; i < reached.size() && before[static_cast<size_t>(to)] < 0; ++i) {
    const int64_t vertex = reached[i];
    for (const size_t edge : adjacency.edges(static_cast<size_t>(vertex))) {
      const int64_t target = graph.target[edge];
      if (before[static_cast<size_t>(target)] >= 0) continue;
      const double weight = graph.weight_of(edge);
      const double shortest = distances.at(from, target);
      const double scale = std::fabs(distances.at(from, vertex)) + std::fabs(weight);
      if (distances.at(from, vertex) + weight > shortest + 1e-9 * scale) continue;
      before[static_cast<size_t>(target)] = vertex;
      reached.push_back(target);
    }
  }
  std::vector<int64_t> path = {to};
  while (path.back() != from) path.push_back(before[static_cast<size_t>(path.back())]);
  std::ranges::reverse(path);
  return path;
}

}  // namespace lanewise::graph
