#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "graph/gpu/forest-inl.h"
#include "graph/graph.h"
#include "graph/neighbours.h"
#include "primitives/parallel.h"

/// Rivals of this folder's algorithms, for benchmarks: plain implementations.
namespace lanewise::graph {

/// Afforest on contiguous neighbours, as in the GAP benchmark suite: two neighbours of each vertex, then
/// all of those that are not in the largest component. Each edge is stored at both of its ends.
inline std::vector<uint32_t> afforest(const Neighbours& neighbours) {
  const auto vertices = static_cast<uint32_t>(neighbours.vertices());
  const auto for_vertices = [&](auto f) {
    constexpr uint32_t kPart = 1 << 14;
    parallel_for((vertices + kPart - 1) / kPart, [&](size_t part) {
      const auto begin = static_cast<uint32_t>(part) * kPart;
      for (uint32_t v = begin; v < std::min(vertices, begin + kPart); ++v) f(v);
    });
  };
  std::vector<uint32_t> parent(vertices);
  for_vertices([&](uint32_t v) { parent[v] = v; });
  const auto flatten = [&] {
    for_vertices([&](uint32_t v) { store(&parent[v], root_of(parent.data(), v)); });
  };
  for (uint32_t k = 0; k < 2; ++k) {
    for_vertices([&](uint32_t v) {
      const auto ends = neighbours.of(v);
      if (k < ends.size()) link(parent.data(), v, ends[k]);
    });
    flatten();
  }
  std::map<uint32_t, int> count;
  uint32_t most = 0;
  for (uint32_t i = 0; i < 1'024; ++i) {
    const uint32_t root = parent[vertices / 1'024 * i];
    if (++count[root] > count[most]) most = root;
  }
  for_vertices([&](uint32_t v) {
    if (load(&parent[v]) == most) return;
    const auto ends = neighbours.of(v);
    for (size_t i = 2; i < ends.size(); ++i) link(parent.data(), v, ends[i]);
  });
  flatten();
  return parent;
}

/// Hopcroft and Karp's algorithm from a greedy start, on one thread.
class HopcroftKarp {
 public:
  explicit HopcroftKarp(const Graph& graph)
      : vertices_(static_cast<uint32_t>(graph.vertices)), columns_(vertices_, graph.source, graph.target) {}

  /// The size of a maximum matching.
  int64_t size() const {
    std::vector<uint32_t> column(vertices_, kNone), row_of(vertices_, kNone), level(vertices_), path;
    std::vector<uint32_t> queue;
    std::vector<size_t> next(vertices_);
    int64_t size = 0;
    for (uint32_t row = 0; row < vertices_; ++row) {
      const auto ends = columns_.of(row);
      const auto free =
          std::find_if(ends.begin(), ends.end(), [&](uint32_t end) { return row_of[end] == kNone; });
      if (free == ends.end()) continue;
      column[row] = *free;
      row_of[*free] = row;
      ++size;
    }
    for (bool found = true; found;) {
      found = false;
      queue.clear();
      for (uint32_t row = 0; row < vertices_; ++row) {
        level[row] = column[row] == kNone ? 0 : kNone;
        next[row] = 0;
        if (level[row] == 0) queue.push_back(row);
      }
      for (size_t at = 0; at < queue.size(); ++at) {
        for (const uint32_t end : columns_.of(queue[at])) {
          const uint32_t mate = row_of[end];
          found = found || mate == kNone;
          if (mate == kNone || level[mate] != kNone) continue;
          level[mate] = level[queue[at]] + 1;
          queue.push_back(mate);
        }
      }
      for (uint32_t start = 0; start < vertices_; ++start) {
        if (column[start] != kNone) continue;
        path.assign(1, start);
        while (!path.empty()) {
          const uint32_t row = path.back();
          const auto ends = columns_.of(row);
          if (next[row] == ends.size()) {
            path.pop_back();
            if (!path.empty()) ++next[path.back()];
            continue;
          }
          const uint32_t mate = row_of[ends[next[row]]];
          if (mate == kNone) {
            for (const uint32_t each : path) {
              column[each] = columns_.of(each)[next[each]];
              row_of[column[each]] = each;
              next[each] = columns_.of(each).size();  // used up
            }
            ++size;
            break;
          }
          if (level[mate] == level[row] + 1) {
            path.push_back(mate);
          } else {
            ++next[row];
          }
        }
      }
    }
    return size;
  }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  uint32_t vertices_;
  Neighbours columns_;
};

/// Breadth-first search with a queue, on one thread, from given neighbours.
inline std::vector<int32_t> levels_by_queue(const Neighbours& targets, uint32_t vertices, uint32_t root) {
  std::vector<int32_t> level(vertices, -1);
  std::vector<uint32_t> queue = {root};
  level[root] = 0;
  for (size_t at = 0; at < queue.size(); ++at) {
    for (const uint32_t target : targets.of(queue[at])) {
      if (level[target] >= 0) continue;
      level[target] = level[queue[at]] + 1;
      queue.push_back(target);
    }
  }
  return level;
}

/// From the head of a list to its end, once to count and once to write, on one thread.
inline std::vector<int64_t> ranks_by_walking(const std::vector<int64_t>& next, int64_t head) {
  int64_t rank = 0;
  for (int64_t at = head; next[static_cast<size_t>(at)] >= 0; at = next[static_cast<size_t>(at)]) ++rank;
  std::vector<int64_t> ranks(next.size());
  for (int64_t at = head; at >= 0; at = next[static_cast<size_t>(at)])
    ranks[static_cast<size_t>(at)] = rank--;
  return ranks;
}

/// A tree's vertices level by level from its root, after sorting its edges by parent, on one thread.
inline std::vector<int64_t> depths_by_levels(const std::vector<int64_t>& parent, int64_t root) {
  std::vector<int64_t> children(parent.size());
  std::iota(children.begin(), children.end(), 0);
  const Neighbours below(parent.size(), parent, children);
  std::vector<int64_t> depth(parent.size());
  std::vector<uint32_t> queue = {static_cast<uint32_t>(root)};
  for (size_t at = 0; at < queue.size(); ++at) {
    for (const uint32_t child : below.of(queue[at])) {
      if (child == root) continue;
      depth[child] = depth[queue[at]] + 1;
      queue.push_back(child);
    }
  }
  return depth;
}

}  // namespace lanewise::graph
