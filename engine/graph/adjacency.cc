#include "graph/adjacency.h"

namespace lanewise::graph {

Adjacency::Adjacency(const Graph& graph)
    : offset_(static_cast<size_t>(graph.vertices) + 1), target_(graph.edges()), edge_(graph.edges()) {
  for (const int64_t source : graph.source) ++offset_[static_cast<size_t>(source) + 1];
  for (size_t v = 1; v < offset_.size(); ++v) offset_[v] += offset_[v - 1];
  std::vector<size_t> next(offset_.begin(), offset_.end() - 1);
  for (size_t e = 0; e < graph.edges(); ++e) {
    const size_t place = next[static_cast<size_t>(graph.source[e])]++;
    target_[place] = graph.target[e];
    edge_[place] = e;
  }
}

}  // namespace lanewise::graph
