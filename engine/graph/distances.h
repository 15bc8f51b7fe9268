#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/memory.h"
#include "graph/graph.h"

namespace lanewise::graph {

/// Turns a matrix of edge weights into one of shortest distances: row by row, `stride` rows and columns, with
/// a value far above all distances for "no path".
class PathFinder {
 public:
  virtual ~PathFinder() = default;
  /// The stride must be a multiple of it.
  virtual size_t tile() const = 0;
  virtual void close(int32_t* matrix, size_t stride) = 0;
  virtual void close(double* matrix, size_t stride) = 0;
};

/// Distances between all pairs of vertices.
class Distances {
 public:
  int64_t vertices = 0;
  int64_t pairs = 0;  ///< ordered pairs with a path between them; a vertex and itself are one
  double sum = 0;     ///< sum of their distances

  /// Infinity if no path leads from `from` to `to`.
  double at(int64_t from, int64_t to) const;

 private:
  friend Distances all_distances(const Graph& graph, MemoryBudget* budget, PathFinder* finder,
                                 const std::function<void(double)>& report);
  size_t stride_ = 0;
  std::vector<int32_t> whole_;  // row by row; one of the two vectors is empty
  std::vector<double> real_;
  Reservation held_;
};

/// Along directed edges; d(v, v) = 0. Integer weights whose paths fit 32 bits are added as integers. With
/// `finder`, or on all threads, by tiles that fit the cache (Venkataraman, Sahni, Mukhopadhyaya, ACM JEA
/// 2003), which report the finished fraction to `report`. Throws UserError for a negative cycle and names a
/// vertex on it; MemoryError.
Distances all_distances(const Graph& graph, MemoryBudget* budget = nullptr, PathFinder* finder = nullptr,
                        const std::function<void(double)>& report = {});

}  // namespace lanewise::graph
