#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace lanewise::graph {

/// The neighbours of each vertex, contiguous, in the order of the edges.
class Neighbours {
 public:
  Neighbours() = default;
  /// Edges lead from of[e] to to[e], both below `vertices`, which is at most 2^32.
  Neighbours(size_t vertices, const std::vector<int64_t>& of, const std::vector<int64_t>& to);

  std::span<const uint32_t> of(uint32_t vertex) const {
    return {end_.data() + offset_[vertex], static_cast<size_t>(offset_[vertex + 1] - offset_[vertex])};
  }
  size_t vertices() const { return offset_.empty() ? 0 : offset_.size() - 1; }
  /// The offset of each vertex's neighbours, and the total number.
  std::span<const uint64_t> offsets() const { return offset_; }
  std::span<const uint32_t> all() const { return end_; }

 private:
  std::vector<uint64_t> offset_;
  std::vector<uint32_t> end_;
};

/// Each edge of `graph` at both of its ends. Neighbours ascend, without duplicates and without the vertex
/// itself. Throws UserError for more than 2^32 vertices.
Neighbours neighbours_both_ways(const Graph& graph);

}  // namespace lanewise::graph
