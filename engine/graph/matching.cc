#include "graph/matching.h"

#include <algorithm>
#include <limits>

#include "graph/adjacency.h"

namespace lanewise::graph {

namespace {

constexpr int64_t kFree = -1;
constexpr int32_t kFar = std::numeric_limits<int32_t>::max();

class Search {
 public:
  explicit Search(const Graph& graph)
      : adjacency_(graph),
        column_(static_cast<size_t>(graph.vertices), kFree),
        row_(column_),
        level_(column_.size()),
        next_(column_.size()) {}

  void run() {
    for (size_t row = 0; row < column_.size(); ++row) {
      for (const int64_t column : adjacency_.neighbours(row)) {
        if (row_[static_cast<size_t>(column)] != kFree) continue;
        match(row, column);
        break;
      }
    }
    while (find_levels()) {
      for (size_t row = 0; row < column_.size(); ++row) next_[row] = 0;
      for (size_t row = 0; row < column_.size(); ++row) {
        if (column_[row] == kFree) augment(row);
      }
    }
  }

  /// König: rows that no alternating path from a free row reaches, and columns that one does.
  Matching result() {
    Matching matching;
    std::vector<bool> reached(row_.size());
    for (size_t row = 0; row < column_.size(); ++row) {
      if (column_[row] != kFree) ++matching.size;
      if (level_[row] == kFar) {
        if (column_[row] != kFree) matching.cover_rows.push_back(static_cast<int64_t>(row));
        continue;
      }
      for (const int64_t column : adjacency_.neighbours(row)) reached[static_cast<size_t>(column)] = true;
    }
    for (size_t column = 0; column < reached.size(); ++column) {
      if (reached[column]) matching.cover_columns.push_back(static_cast<int64_t>(column));
    }
    matching.column = std::move(column_);
    return matching;
  }

 private:
  void match(size_t row, int64_t column) {
    column_[row] = column;
    row_[static_cast<size_t>(column)] = static_cast<int64_t>(row);
  }

  /// How many edges of the matching a row is away from a free row; false if no path ends at a free column.
  bool find_levels() {
    std::vector<size_t> queue;
    for (size_t row = 0; row < column_.size(); ++row) {
      level_[row] = column_[row] == kFree ? 0 : kFar;
      if (level_[row] == 0) queue.push_back(row);
    }
    bool found = false;
    for (size_t at = 0; at < queue.size(); ++at) {
      const size_t row = queue[at];
      for (const int64_t column : adjacency_.neighbours(row)) {
        const int64_t other = row_[static_cast<size_t>(column)];
        if (other == kFree) {
          found = true;
        } else if (level_[static_cast<size_t>(other)] == kFar) {
          level_[static_cast<size_t>(other)] = level_[row] + 1;
          queue.push_back(static_cast<size_t>(other));
        }
      }
    }
    return found;
  }

  /// A path from a free row along rising levels to a free column, and then its edges the other way round.
  void augment(size_t start) {
    path_.assign(1, start);
    while (!path_.empty()) {
      const size_t row = path_.back();
      const auto neighbours = adjacency_.neighbours(row);
      if (next_[row] == neighbours.size()) {
        path_.pop_back();
        if (!path_.empty()) ++next_[path_.back()];
        continue;
      }
      const int64_t column = neighbours[next_[row]];
      const int64_t other = row_[static_cast<size_t>(column)];
      if (other == kFree) {
        for (const size_t each : path_) match(each, adjacency_.neighbours(each)[next_[each]]);
        for (const size_t each : path_) next_[each] = adjacency_.neighbours(each).size();  // used up
        return;
      }
      if (level_[static_cast<size_t>(other)] == level_[row] + 1) {
        path_.push_back(static_cast<size_t>(other));
      } else {
        ++next_[row];
      }
    }
  }

  Adjacency adjacency_;
  std::vector<int64_t> column_, row_;  // whom a row, a column is matched with
  std::vector<int32_t> level_;
  std::vector<size_t> next_;  // neighbour that a row tries
  std::vector<size_t> path_;
};

}  // namespace

Matching maximum_matching(const Graph& graph) {
  Search search(graph);
  search.run();
  return search.result();
}

}  // namespace lanewise::graph
