#include "pram/inputs/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace lanewise::pram {

namespace {

Array weights(const graph::Graph& graph) {
  if (graph.weight.empty()) return ints(std::vector<int64_t>(graph.edges(), 1));
  if (!graph.whole_weights()) return reals(graph.weight);
  return ints({graph.weight.begin(), graph.weight.end()});
}

/// The number of edges from the vertices before each; one more entry than vertices.
std::vector<int64_t> offsets(const graph::Graph& graph) {
  std::vector<int64_t> offset(static_cast<size_t>(graph.vertices) + 1);
  for (const int64_t from : graph.source) ++offset[static_cast<size_t>(from) + 1];
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
  return offset;
}

std::vector<int64_t> neighbours(const graph::Graph& graph) {
  std::vector<int64_t> next = offsets(graph);
  std::vector<int64_t> result(graph.edges());
  for (size_t e = 0; e < graph.edges(); ++e) {
    result[static_cast<size_t>(next[static_cast<size_t>(graph.source[e])]++)] = graph.target[e];
  }
  return result;
}

std::vector<int64_t> parents(const graph::Graph& graph) {
  std::vector<int64_t> parent(static_cast<size_t>(graph.vertices));
  std::iota(parent.begin(), parent.end(), int64_t{0});
  for (size_t e = 0; e < graph.edges(); ++e) {
    int64_t& own = parent[static_cast<size_t>(graph.source[e])];
    if (own != graph.source[e])
      throw UserError("'parent' of a graph: a vertex has several edges, which no tree has");
    own = graph.target[e];
  }
  return parent;
}

/// A square matrix of `value(edge)`, of parallel edges the lightest one's, and `none` if there is no edge.
template <class F>
Array square(const graph::Graph& graph, Type type, Word none, bool both_ways, F value) {
  constexpr int64_t kMost = 16'384;
  const int64_t n = graph.vertices;
  if (n > kMost) {
    throw UserError(
        fmt::format("the matrix of a graph with {} vertices exceeds the limit of {} vertices", n, kMost));
  }
  Array array{type, {n, n}, std::vector<Word>(static_cast<size_t>(n * n), none)};
  std::vector<size_t> edges(graph.edges());
  std::iota(edges.begin(), edges.end(), size_t{0});
  std::stable_sort(edges.begin(), edges.end(),
                   [&](size_t a, size_t b) { return graph.weight_of(a) > graph.weight_of(b); });
  for (const size_t e : edges) {
    const int64_t from = graph.source[e], to = graph.target[e];
    if (both_ways && from == to) continue;
    array.words[static_cast<size_t>(from * n + to)] = value(e);
    if (both_ways) array.words[static_cast<size_t>(to * n + from)] = value(e);
  }
  return array;
}

}  // namespace

Arrays graph_inputs(const graph::Graph& graph) {
  return {{"n", scalar(graph.vertices)},
          {"source", ints(graph.source)},
          {"target", ints(graph.target)},
          {"weight", weights(graph)}};
}

std::optional<Array> graph_input(const graph::Graph& graph, std::string_view name, size_t dimensions) {
  if (dimensions == 0) {
    if (name == "n" || name == "right") return scalar(graph.vertices);
  } else if (dimensions == 1) {
    if (name == "source") return ints(graph.source);
    if (name == "target") return ints(graph.target);
    if (name == "weight") return weights(graph);
    if (name == "offset") return ints(offsets(graph));
    if (name == "neighbour") return ints(neighbours(graph));
    if (name == "parent") return ints(parents(graph));
  } else {
    if (name == "edge") return square(graph, Type::kBool, 0, true, [](size_t) { return Word{1}; });
    if (name == "weight") {
      const Array edges = weights(graph);
      return square(graph, edges.type, 0, true, [&](size_t e) { return edges.words[e]; });
    }
    if (name == "W") {
      return square(graph, Type::kReal, word_of(std::numeric_limits<double>::infinity()), false,
                    [&](size_t e) { return word_of(graph.weight_of(e)); });
    }
  }
  return std::nullopt;
}

}  // namespace lanewise::pram
