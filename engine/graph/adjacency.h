#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace lanewise::graph {

/// The edges of a graph grouped by source: neighbours are contiguous, in the order of the edges.
class Adjacency {
 public:
  explicit Adjacency(const Graph& graph);

  std::span<const int64_t> neighbours(size_t vertex) const {
    return {target_.data() + offset_[vertex], offset_[vertex + 1] - offset_[vertex]};
  }
  /// The numbers of these edges.
  std::span<const size_t> edges(size_t vertex) const {
    return {edge_.data() + offset_[vertex], offset_[vertex + 1] - offset_[vertex]};
  }

 private:
  std::vector<size_t> offset_;  // start of each vertex's edges, and the end
  std::vector<int64_t> target_;
  std::vector<size_t> edge_;
};

}  // namespace lanewise::graph
