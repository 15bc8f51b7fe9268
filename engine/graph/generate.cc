#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"
#include "graph/graph.h"

namespace lanewise::graph {

namespace {

void check_sizes(int64_t vertices, int64_t edges) {
  constexpr int64_t kMost = int64_t{1} << 32;
  if (vertices < 0 || edges < 0 || vertices > kMost || edges > kMost) {
    throw UserError(fmt::format("cannot generate a graph of {} vertices and {} edges", vertices, edges));
  }
}

}  // namespace

Graph random_graph(int64_t n, int64_t m, uint64_t seed) {
  check_sizes(n, m);
  Graph graph;
  graph.vertices = n;
  Random random(seed);
  for (int64_t e = 0; e < m && n > 0; ++e) {
    graph.source.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(n))));
    graph.target.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(n))));
    graph.weight.push_back(static_cast<double>(1 + random.below(100)));
  }
  return graph;
}

Graph grid_graph(int64_t rows, int64_t columns) {
  int64_t vertices = 0;
  if (__builtin_mul_overflow(rows, columns, &vertices)) vertices = -1;
  check_sizes(rows < 0 ? rows : vertices, columns);
  Graph graph;
  graph.vertices = vertices;
  const auto add = [&](int64_t from, int64_t to) {
    graph.source.push_back(from);
    graph.target.push_back(to);
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t vertex = row * columns + column;
      if (column + 1 < columns) add(vertex, vertex + 1);
      if (row + 1 < rows) add(vertex, vertex + columns);
    }
  }
  return graph;
}

Graph kronecker_graph(int64_t scale, uint64_t seed) {
  if (scale < 0 || scale > 28) throw UserError("the scale of a Kronecker graph must be between 0 and 28");
  Graph graph;
  graph.vertices = int64_t{1} << scale;
  Random random(seed);
  for (int64_t e = 0; e < 16 * graph.vertices; ++e) {
    int64_t from = 0;
    int64_t to = 0;
    for (int64_t bit = 0; bit < scale; ++bit) {
      const uint64_t draw = random.below(100);
      from = 2 * from + (draw >= 76 ? 1 : 0);
      to = 2 * to + ((draw >= 57 && draw < 76) || draw >= 95 ? 1 : 0);
    }
    graph.source.push_back(from);
    graph.target.push_back(to);
  }
  return graph;
}

Graph tree_graph(int64_t n, uint64_t seed) {
  check_sizes(n, 0);
  Graph graph;
  graph.vertices = n;
  Random random(seed);
  for (int64_t v = 1; v < n; ++v) {
    graph.source.push_back(v);
    graph.target.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(v))));
  }
  return graph;
}

Graph bipartite_graph(int64_t left, int64_t right, int64_t m, uint64_t seed) {
  int64_t vertices = 0;
  if (left < 0 || right < 0 || __builtin_add_overflow(left, right, &vertices)) vertices = -1;
  check_sizes(vertices, m);
  Graph graph;
  graph.vertices = vertices;
  Random random(seed);
  for (int64_t e = 0; e < m && left > 0 && right > 0; ++e) {
    graph.source.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(left))));
    graph.target.push_back(left + static_cast<int64_t>(random.below(static_cast<uint64_t>(right))));
  }
  return graph;
}

}  // namespace lanewise::graph
