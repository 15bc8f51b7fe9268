#include "graph/neighbours.h"

#include <utility>

#include "base/error.h"

namespace lanewise::graph {

Neighbours::Neighbours(size_t vertices, const std::vector<int64_t>& of, const std::vector<int64_t>& to)
    : offset_(vertices + 1), end_(to.size()) {
  for (const int64_t v : of) ++offset_[static_cast<size_t>(v)];
  uint64_t before = 0;
  for (uint64_t& at : offset_) before += std::exchange(at, before);
  for (size_t e = 0; e < to.size(); ++e) {
    end_[offset_[static_cast<size_t>(of[e])]++] = static_cast<uint32_t>(to[e]);
  }
  for (size_t v = vertices; v > 0; --v) offset_[v] = offset_[v - 1];  // starts at the previous end
  offset_[0] = 0;
}

namespace {

/// Reverses the edges. As they are processed in order, the neighbours of each vertex ascend.
/// `once`: adjacent duplicates count once.
Neighbours turn(const Neighbours& neighbours, bool once) {
  std::vector<int64_t> of, to;
  of.reserve(neighbours.all().size());
  to.reserve(neighbours.all().size());
  for (size_t v = 0; v < neighbours.vertices(); ++v) {
    const auto ends = neighbours.of(static_cast<uint32_t>(v));
    for (size_t i = 0; i < ends.size(); ++i) {
      if (once && i > 0 && ends[i] == ends[i - 1]) continue;
      of.push_back(static_cast<int64_t>(ends[i]));
      to.push_back(static_cast<int64_t>(v));
    }
  }
  return {neighbours.vertices(), of, to};
}

}  // namespace

Neighbours neighbours_both_ways(const Graph& graph) {
  if (graph.vertices > int64_t{1} << 32)
    throw UserError("graphs of more than 2^32 vertices are not supported");
  std::vector<int64_t> of, to;
  for (size_t e = 0; e < graph.edges(); ++e) {
    if (graph.source[e] == graph.target[e]) continue;
    of.insert(of.end(), {graph.source[e], graph.target[e]});
    to.insert(to.end(), {graph.target[e], graph.source[e]});
  }
  const auto vertices = static_cast<size_t>(graph.vertices);
  return turn(turn(Neighbours(vertices, of, to), false), true);
}

}  // namespace lanewise::graph
