#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "graph/device/forest-inl.h"
#include "graph/graph.h"
#include "graph/neighbours.h"
#include "primitives/parallel.h"

/// What benchmarks compare the algorithms of this folder with, plainly as elsewhere.
namespace lanewise::graph {

/// Afforest on neighbours side by side, as in the GAP benchmark suite.
/// Two neighbours of each vertex, then all of those that are not in the largest component.
class ByNeighbours {
 public:
  explicit ByNeighbours(const Graph& graph)
      : vertices_(static_cast<uint32_t>(graph.vertices)), at_(vertices_ + 2) {
    const auto each_end = [&](auto f) {
      for (size_t e = 0; e < graph.edges(); ++e) {
        f(static_cast<uint32_t>(graph.source[e]), static_cast<uint32_t>(graph.target[e]));
        f(static_cast<uint32_t>(graph.target[e]), static_cast<uint32_t>(graph.source[e]));
      }
    };
    each_end([&](uint32_t v, uint32_t) { ++at_[v + 2]; });
    std::partial_sum(at_.begin(), at_.end(), at_.begin());
    neighbour_.resize(at_.back());
    each_end([&](uint32_t v, uint32_t end) { neighbour_[at_[v + 1]++] = end; });
  }

  std::vector<uint32_t> components() const {
    std::vector<uint32_t> parent(vertices_);
    for_vertices([&](uint32_t v) { parent[v] = v; });
    const auto flatten = [&] {
      for_vertices([&](uint32_t v) { store(&parent[v], root_of(parent.data(), v)); });
    };
    for (uint32_t k = 0; k < 2; ++k) {
      for_vertices([&](uint32_t v) {
        if (at_[v] + k < at_[v + 1]) link(parent.data(), v, neighbour_[at_[v] + k]);
      });
      flatten();
    }
    std::map<uint32_t, int> count;
    uint32_t most = 0;
    for (uint32_t i = 0; i < 1'024; ++i) {
      const uint32_t root = parent[vertices_ / 1'024 * i];
      if (++count[root] > count[most]) most = root;
    }
    for_vertices([&](uint32_t v) {
      if (load(&parent[v]) == most) return;
      for (uint32_t i = at_[v] + 2; i < at_[v + 1]; ++i) link(parent.data(), v, neighbour_[i]);
    });
    flatten();
    return parent;
  }

 private:
  template <class F>
  void for_vertices(F f) const {
    constexpr uint32_t kPart = 1 << 14;
    parallel_for((vertices_ + kPart - 1) / kPart, [&](size_t part) {
      const auto begin = static_cast<uint32_t>(part) * kPart;
      for (uint32_t v = begin; v < std::min(vertices_, begin + kPart); ++v) f(v);
    });
  }

  uint32_t vertices_;
  std::vector<uint32_t> at_, neighbour_;  // both ways
};

/// Hopcroft and Karp's algorithm from a greedy start, on one thread.
class HopcroftKarp {
 public:
  explicit HopcroftKarp(const Graph& graph)
      : vertices_(static_cast<uint32_t>(graph.vertices)), columns_(vertices_, graph.source, graph.target) {}

  /// Of a maximum matching.
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

}  // namespace lanewise::graph
