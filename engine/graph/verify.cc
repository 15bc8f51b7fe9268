#include "graph/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "graph/adjacency.h"

namespace lanewise::graph {

namespace {

Graph both_ways(const Graph& graph) {
  Graph both = graph;
  both.weight.clear();
  both.source.insert(both.source.end(), graph.target.begin(), graph.target.end());
  both.target.insert(both.target.end(), graph.source.begin(), graph.source.end());
  return both;
}

std::vector<double> distances_from(const Graph& graph, const Adjacency& adjacency, int64_t start) {
  std::vector<double> distance(static_cast<size_t>(graph.vertices), std::numeric_limits<double>::infinity());
  std::vector<bool> waits(distance.size());
  distance[static_cast<size_t>(start)] = 0;
  std::deque<size_t> queue = {static_cast<size_t>(start)};
  while (!queue.empty()) {
    const size_t vertex = queue.front();
    queue.pop_front();
    waits[vertex] = false;
    for (const size_t edge : adjacency.edges(vertex)) {
      const auto target = static_cast<size_t>(graph.target[edge]);
      const double reached = distance[vertex] + graph.weight_of(edge);
      if (reached >= distance[target]) continue;
      distance[target] = reached;
      if (!waits[target]) queue.push_back(target);
      waits[target] = true;
    }
  }
  return distance;
}

}  // namespace

std::optional<std::string> check_components(const Graph& graph, const std::vector<uint32_t>& label) {
  const auto vertices = static_cast<size_t>(graph.vertices);
  if (label.size() != vertices) return fmt::format("{} labels for {} vertices", label.size(), vertices);
  const Adjacency adjacency(both_ways(graph));
  std::vector<bool> seen(vertices);
  for (size_t start = 0; start < vertices; ++start) {  // the least of its component, if not seen yet
    if (seen[start]) continue;
    std::vector<size_t> stack = {start};
    seen[start] = true;
    while (!stack.empty()) {
      const size_t vertex = stack.back();
      stack.pop_back();
      if (label[vertex] != start) {
        return fmt::format("vertex {} is in the component of {} and has the label {}", vertex, start,
                           label[vertex]);
      }
      for (const int64_t next : adjacency.neighbours(vertex)) {
        if (seen[static_cast<size_t>(next)]) continue;
        seen[static_cast<size_t>(next)] = true;
        stack.push_back(static_cast<size_t>(next));
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_levels(const Graph& graph, int64_t root, const Levels& levels) {
  const std::vector<int32_t>& level = levels.level;
  if (level.size() != static_cast<size_t>(graph.vertices)) return "there are not as many levels as vertices";
  std::vector<bool> reached(level.size());
  reached[static_cast<size_t>(root)] = true;
  for (size_t e = 0; e < graph.edges(); ++e) {
    const int32_t from = level[static_cast<size_t>(graph.source[e])];
    const int32_t to = level[static_cast<size_t>(graph.target[e])];
    if (from < 0) continue;
    if (to < 0 || to > from + 1) return fmt::format("edge {} leads from level {} to {}", e, from, to);
    if (to == from + 1) reached[static_cast<size_t>(graph.target[e])] = true;
  }
  int64_t count = 0, most = -1;
  for (size_t v = 0; v < level.size(); ++v) {
    const bool is_root = static_cast<int64_t>(v) == root;
    if (level[v] < -1 || (level[v] == 0) != is_root)
      return fmt::format("vertex {} has level {}", v, level[v]);
    if (level[v] < 0) continue;
    if (!reached[v]) return fmt::format("nothing leads to vertex {} from level {}", v, level[v] - 1);
    ++count;
    most = std::max<int64_t>(most, level[v]);
  }
  if (count != levels.reached || most + 1 != levels.levels) return "what is reached is counted wrongly";
  return std::nullopt;
}

std::optional<std::string> check_spanning_forest(const Graph& graph, const SpanningForest& forest) {
  std::vector<size_t> order(graph.edges());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return graph.weight_of(a) < graph.weight_of(b); });
  std::vector<int64_t> parent(static_cast<size_t>(graph.vertices));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int64_t v) {
    while (parent[static_cast<size_t>(v)] != v) {
      v = parent[static_cast<size_t>(v)] = parent[static_cast<size_t>(parent[static_cast<size_t>(v)])];
    }
    return v;
  };
  std::vector<int64_t> edges;
  for (const size_t edge : order) {
    const int64_t a = root(graph.source[edge]);
    const int64_t b = root(graph.target[edge]);
    if (a == b) continue;
    parent[static_cast<size_t>(a)] = b;
    edges.push_back(static_cast<int64_t>(edge));
  }
  std::sort(edges.begin(), edges.end());
  double weight = 0;
  for (const int64_t edge : edges) weight += graph.weight_of(static_cast<size_t>(edge));
  if (edges != forest.edges) return "other edges are lighter, or do not close a circle";
  if (weight != forest.weight) return fmt::format("they weigh {}, not {}", weight, forest.weight);
  if (forest.trees != graph.vertices - static_cast<int64_t>(edges.size()))
    return "the trees are counted wrongly";
  return std::nullopt;
}

std::optional<std::string> check_matching(const Graph& graph, const Matching& matching) {
  const auto vertices = static_cast<size_t>(graph.vertices);
  std::vector<bool> is_edge(vertices);
  std::vector<bool> row_covers(vertices);
  std::vector<bool> column_covers(vertices);
  for (const int64_t row : matching.cover_rows) row_covers[static_cast<size_t>(row)] = true;
  for (const int64_t column : matching.cover_columns) column_covers[static_cast<size_t>(column)] = true;
  for (size_t e = 0; e < graph.edges(); ++e) {
    const auto row = static_cast<size_t>(graph.source[e]);
    const auto column = static_cast<size_t>(graph.target[e]);
    if (!row_covers[row] && !column_covers[column]) return fmt::format("nothing covers edge {}", e);
    if (matching.column[row] == graph.target[e]) is_edge[row] = true;
  }
  std::vector<bool> taken(vertices);
  int64_t size = 0;
  for (size_t row = 0; row < vertices; ++row) {
    if (matching.column[row] < 0) continue;
    ++size;
    const auto column = static_cast<size_t>(matching.column[row]);
    if (!is_edge[row]) return fmt::format("no edge joins row {} and column {}", row, column);
    if (taken[column]) return fmt::format("column {} is matched twice", column);
    taken[column] = true;
  }
  const size_t cover = matching.cover_rows.size() + matching.cover_columns.size();
  if (size != matching.size || cover != static_cast<size_t>(size)) {
    return fmt::format("{} pairs, {} said, and a cover of {}", size, matching.size, cover);
  }
  return std::nullopt;
}

std::optional<std::string> check_distances(const Graph& graph, const Distances& distances) {
  const Adjacency adjacency(graph);
  int64_t pairs = 0;
  double sum = 0;
  for (int64_t from = 0; from < graph.vertices; ++from) {
    const std::vector<double> right = distances_from(graph, adjacency, from);
    for (int64_t to = 0; to < graph.vertices; ++to) {
      const double expected = right[static_cast<size_t>(to)];
      const double found = distances.at(from, to);
      const bool close = std::fabs(found - expected) <= 1e-9 * (1 + std::fabs(expected));
      if (found != expected && !close) {
        return fmt::format("from {} to {} it is {}, not {}", from, to, expected, found);
      }
      if (!std::isfinite(expected)) continue;
      ++pairs;
      sum += found;
    }
  }
  if (pairs != distances.pairs || sum != distances.sum) return "pairs or sum are counted wrongly";
  return std::nullopt;
}

}  // namespace lanewise::graph
