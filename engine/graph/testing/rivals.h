#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "graph/graph.h"
#include "graph/kernels/forest-inl.h"
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
  int64_t size() const { return Matching(vertices_, columns_).maximise(); }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  class Matching {
   public:
    Matching(uint32_t vertices, const Neighbours& columns)
        : vertices_(vertices),
          columns_(columns),
          column_(vertices, kNone),
          row_of_(vertices, kNone),
          level_(vertices),
          next_(vertices) {}

    int64_t maximise() {
      match_greedily();
      while (find_levels()) {
        for (uint32_t start = 0; start < vertices_; ++start) {
          if (column_[start] == kNone) augment(start);
        }
      }
      return size_;
    }

   private:
    void match_greedily() {
      for (uint32_t row = 0; row < vertices_; ++row) {
        const auto ends = columns_.of(row);
        const auto free =
            std::find_if(ends.begin(), ends.end(), [&](uint32_t end) { return row_of_[end] == kNone; });
        if (free == ends.end()) continue;
        column_[row] = *free;
        row_of_[*free] = row;
        ++size_;
      }
    }

    /// Breadth-first search along alternating paths from the free rows; whether a free column is reached.
    bool find_levels() {
      bool found = false;
      queue_.clear();
      for (uint32_t row = 0; row < vertices_; ++row) {
        level_[row] = column_[row] == kNone ? 0 : kNone;
        next_[row] = 0;
        if (level_[row] == 0) queue_.push_back(row);
      }
      for (size_t at = 0; at < queue_.size(); ++at) {
        for (const uint32_t end : columns_.of(queue_[at])) {
          const uint32_t mate = row_of_[end];
          found = found || mate == kNone;
          if (mate == kNone || level_[mate] != kNone) continue;
          level_[mate] = level_[queue_[at]] + 1;
          queue_.push_back(mate);
        }
      }
      return found;
    }

    /// Depth-first search for a shortest augmenting path from `start`; adds it to the matching.
    void augment(uint32_t start) {
      path_.assign(1, start);
      while (!path_.empty()) {
        const uint32_t row = path_.back();
        const auto ends = columns_.of(row);
        if (next_[row] == ends.size()) {
          path_.pop_back();
          if (!path_.empty()) ++next_[path_.back()];
          continue;
        }
        const uint32_t mate = row_of_[ends[next_[row]]];
        if (mate == kNone) return flip_path();
        if (level_[mate] == level_[row] + 1) {
          path_.push_back(mate);
        } else {
          ++next_[row];
        }
      }
    }

    void flip_path() {
      for (const uint32_t row : path_) {
        column_[row] = columns_.of(row)[next_[row]];
        row_of_[column_[row]] = row;
        next_[row] = columns_.of(row).size();  // used up
      }
      ++size_;
    }

    uint32_t vertices_;
    const Neighbours& columns_;
    std::vector<uint32_t> column_, row_of_;  // the matching, from both sides
    std::vector<uint32_t> level_, queue_, path_;
    std::vector<size_t> next_;  // by row: the column that the search tries next
    int64_t size_ = 0;
  };

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
