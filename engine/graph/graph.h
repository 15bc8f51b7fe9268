#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"

namespace lanewise::graph {

/// A directed graph of vertices 0 to n - 1. Parallel edges and loops are kept.
struct Graph {
  int64_t vertices = 0;
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  std::vector<double> weight;   ///< empty: all weights are 1
  std::vector<int64_t> labels;  ///< the vertices' numbers in the file, ascending; empty: they are 0 to n - 1

  size_t edges() const { return source.size(); }
  double weight_of(size_t edge) const { return weight.empty() ? 1 : weight[edge]; }
  bool whole_weights() const;
};

/// Memory for an edge while a graph is read: its ends, the same as labels, its weight.
inline constexpr size_t kEdgeBytes = 4 * sizeof(int64_t) + sizeof(double);

/// A Matrix Market file (it begins with %%MatrixMarket, in any case): every stored entry is an edge, whatever
/// value; `pattern` means weight 1; `symmetric` adds the reverse edge, `skew-symmetric` with negated
/// weight; the larger dimension is the number of vertices. Else lines of "v : u w", any
/// integers, as vertices and their neighbours; else lines "source target [weight]". Lines that begin with #
/// or % are comments. Throws UserError that names `file` and the line, also for more vertices than `budget`
/// has room for; MemoryError if the edges do not fit.
Graph read_graph(std::string_view text, const std::string& file, MemoryBudget* budget = nullptr);

/// Renumbers vertices, any integers, to 0, 1, ... in ascending order. `labels`: all of them, in any order and
/// perhaps several times; the graph keeps them.
void number_vertices(Graph& graph, std::vector<int64_t> labels);

/// Random graphs of n vertices and m edges: the same seed gives the same graph on every machine.
Graph random_graph(int64_t n, int64_t m, uint64_t seed);
/// rows x columns vertices, each with edges to the right and down.
Graph grid_graph(int64_t rows, int64_t columns);
/// 2^scale vertices and 16 * 2^scale edges with the skew of social networks (R-MAT: 0.57, 0.19, 0.19, 0.05).
Graph kronecker_graph(int64_t scale, uint64_t seed);
/// A random tree: each vertex has an edge to an earlier one.
Graph tree_graph(int64_t n, uint64_t seed);
/// `left` vertices, then `right` vertices, and m random edges from the first side to the second.
Graph bipartite_graph(int64_t left, int64_t right, int64_t m, uint64_t seed);

}  // namespace lanewise::graph
