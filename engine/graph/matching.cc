#include "graph/matching.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "graph/neighbours.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kFar = kFree;

class MatchingSearch {
 public:
  explicit MatchingSearch(const Graph& graph) : vertices_(static_cast<size_t>(graph.vertices)) {
    parallel_for(2, [&](size_t side) {
      sides_[side] = side == 0 ? Neighbours(vertices_, graph.source, graph.target)
                               : Neighbours(vertices_, graph.target, graph.source);
      mate_[side].assign(vertices_, kFree);
    });
  }

  void run() {
    start();
    level_.resize(vertices_);
    next_.resize(vertices_);
    while (find_levels()) {
      std::fill(next_.begin(), next_.end(), 0);
      for (uint32_t row = 0; row < vertices_; ++row) {
        if (mate_[kRow][row] == kFree) augment(row);
      }
    }
  }

  /// König: rows that no alternating path from a free row reaches, and columns that one does.
  Matching result() const {
    Matching matching;
    std::vector<bool> reached(vertices_);
    matching.column.assign(vertices_, -1);
    for (uint32_t row = 0; row < vertices_; ++row) {
      if (const uint32_t column = mate_[kRow][row]; column != kFree) {
        matching.column[row] = column;
        ++matching.size;
        if (level_[row] == kFar) matching.cover_rows.push_back(row);
      }
      if (level_[row] == kFar) continue;
      for (const uint32_t column : rows().of(row)) reached[column] = true;
    }
    for (size_t column = 0; column < reached.size(); ++column) {
      if (reached[column]) matching.cover_columns.push_back(static_cast<int64_t>(column));
    }
    return matching;
  }

 private:
  static constexpr int kRow = 0, kColumn = 1;

  const Neighbours& rows() const { return sides_[kRow]; }

  void match(uint32_t row, uint32_t column) {
    mate_[kRow][row] = column;
    mate_[kColumn][column] = row;
  }

  /// Karp and Sipser (FOCS 1981): a vertex with a single free neighbour is matched with it, which is always
  /// optimal; only if there is none, any row takes its neighbour with the fewest free ones.
  void start() {
    for (int side : {kRow, kColumn}) {
      left_[side].resize(vertices_);
      for (uint32_t v = 0; v < vertices_; ++v) {
        left_[side][v] = static_cast<uint32_t>(sides_[side].of(v).size());
        if (left_[side][v] == 1) single_.push_back({side, v});
      }
    }
    match_singles();
    for (uint32_t row = 0; row < vertices_; ++row) {
      if (left_[kRow][row] == 0) continue;
      take(kRow, row);
      match_singles();
    }
    for (int side : {kRow, kColumn}) left_[side] = {};
  }

  void match_singles() {
    while (!single_.empty()) {
      const auto [side, v] = single_.back();
      single_.pop_back();
      if (left_[side][v] != 0) take(side, v);
    }
  }

  /// Matches `v` with its free neighbour that has the fewest free neighbours, and updates their neighbours.
  void take(int side, uint32_t v) {
    const int other = 1 - side;
    uint32_t best = 0;
    uint32_t fewest = std::numeric_limits<uint32_t>::max();
    for (const uint32_t end : sides_[side].of(v)) {
      const uint32_t left = left_[other][end];
      if (left == 0 || left >= fewest) continue;
      fewest = left;
      best = end;
    }
    match(side == kRow ? v : best, side == kRow ? best : v);
    left_[side][v] = left_[other][best] = 0;
    leave(side, v);
    leave(other, best);
  }

  void leave(int side, uint32_t v) {
    const int other = 1 - side;
    for (const uint32_t end : sides_[side].of(v)) {
      uint32_t& left = left_[other][end];
      if (left == 0) continue;
      --left;
      if (left == 1) single_.push_back({other, end});
    }
  }

  /// The distance of each row from a free row, in edges of the matching; false if no path ends at a free
  /// column.
  bool find_levels() {
    queue_.clear();
    for (uint32_t row = 0; row < vertices_; ++row) {
      level_[row] = mate_[kRow][row] == kFree ? 0 : kFar;
      if (level_[row] == 0) queue_.push_back(row);
    }
    bool found = false;
    for (size_t at = 0; at < queue_.size(); ++at) {
      const uint32_t row = queue_[at];
      for (const uint32_t column : rows().of(row)) {
        const uint32_t mate = mate_[kColumn][column];
        if (mate == kFree) {
          found = true;
        } else if (level_[mate] == kFar) {
          level_[mate] = level_[row] + 1;
          queue_.push_back(mate);
        }
      }
    }
    return found;
  }

  /// Augments along a path from a free row, by ascending levels, to a free column.
  void augment(uint32_t start) {
    path_.assign(1, start);
    while (!path_.empty()) {
      const uint32_t row = path_.back();
      const auto neighbours = rows().of(row);
      if (next_[row] == neighbours.size()) {
        path_.pop_back();
        if (!path_.empty()) ++next_[path_.back()];
        continue;
      }
      const uint32_t mate = mate_[kColumn][neighbours[next_[row]]];
      if (mate == kFree) {
        for (const uint32_t each : path_) match(each, rows().of(each)[next_[each]]);
        for (const uint32_t each : path_) next_[each] = rows().of(each).size();  // used up
        return;
      }
      if (level_[mate] == level_[row] + 1) {
        path_.push_back(mate);
      } else {
        ++next_[row];
      }
    }
  }

  struct Vertex {
    int side;
    uint32_t v;
  };

  size_t vertices_;
  Neighbours sides_[2];
  std::vector<uint32_t> mate_[2];  // partner of each row and column
  std::vector<uint32_t> left_[2];  // edges to free vertices; 0: matched, or never matched
  std::vector<Vertex> single_;     // vertices that had one such edge
  std::vector<uint32_t> level_;
  std::vector<size_t> next_;  // neighbour that a row tries
  std::vector<uint32_t> path_, queue_;
};

}  // namespace

Matching maximum_matching(const Graph& graph) {
  if (graph.vertices >= int64_t{1} << 32)
    throw UserError("matching in graphs of 2^32 vertices or more is not supported");
  MatchingSearch search(graph);
  search.run();
  return search.result();
}

}  // namespace lanewise::graph
