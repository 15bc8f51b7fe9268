#include "lab/tuned.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "graph/breadth_first_search.h"
#include "graph/chains.h"
#include "graph/components.h"
#include "graph/matching.h"
#include "graph/spanning_forest.h"
#include "pram/library.h"
#include "primitives/matrix_product.h"
#include "primitives/parallel.h"
#include "primitives/scan.h"

namespace lanewise::cli::lab {

namespace {

using pram::Array;
using pram::Arrays;
using pram::Word;

const std::vector<Word>& words(const Arrays& inputs, std::string_view name) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) throw UserError("the input '" + std::string(name) + "' is missing");
  return found->second.words;
}

template <class Values>
Array column(const Values& values) {
  return pram::ints(std::vector<int64_t>(values.begin(), values.end()));
}

Word add(Word a, Word b) { return static_cast<Word>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

Arrays sum(const Arrays& inputs) { return {{"sum", pram::scalar(reduce<Word>(words(inputs, "A"), 0, add))}}; }

template <bool inclusive>
Arrays sums(const Arrays& inputs) {
  const std::vector<Word>& values = words(inputs, "A");
  Array result{pram::Type::kInt, {static_cast<int64_t>(values.size())}, std::vector<Word>(values.size())};
  scan<Word>(values, result.words.data(), inclusive, 0, add);
  return {{"S", std::move(result)}};
}

Arrays sorted(const Arrays& inputs) {
  Array result = pram::ints(words(inputs, "A"));
  parallel_sort(result.words.begin(), result.words.end(), std::less<>());
  return {{"A", std::move(result)}};
}

Arrays ranks(const Arrays& inputs) { return {{"rank", column(graph::list_ranks(words(inputs, "next")))}}; }

Arrays depths(const Arrays& inputs) {
  return {{"depth", column(graph::tree_depths(words(inputs, "parent")))}};
}

/// A program may have any inputs; the algorithms need edges between vertices that exist.
void check_edges(const graph::Graph& graph) {
  const auto outside = [&](int64_t v) { return v < 0 || v >= graph.vertices; };
  if (std::ranges::any_of(graph.source, outside) || std::ranges::any_of(graph.target, outside) ||
      graph.source.size() != graph.target.size()) {
    throw UserError("the input is not a list of a graph's edges");
  }
}

/// The graph of the inputs n, source, target and perhaps weight.
graph::Graph graph_of(const Arrays& inputs) {
  graph::Graph graph;
  graph.vertices = words(inputs, "n").at(0);
  graph.source = words(inputs, "source");
  graph.target = words(inputs, "target");
  if (const auto weight = inputs.find("weight"); weight != inputs.end()) {
    graph.weight.assign(weight->second.words.begin(), weight->second.words.end());
  }
  check_edges(graph);
  return graph;
}

Arrays labels(const Arrays& inputs) { return {{"label", column(graph::components(graph_of(inputs)))}}; }

Arrays levels(const Arrays& inputs) {
  return {
      {"level", column(graph::breadth_first_search(graph_of(inputs), words(inputs, "root").at(0)).level)}};
}

Arrays forest(const Arrays& inputs) {
  const graph::Graph graph = graph_of(inputs);
  std::vector<int64_t> tree(graph.edges());
  for (const int64_t edge : graph::spanning_forest(graph).edges) tree[static_cast<size_t>(edge)] = 1;
  return {{"tree", pram::ints(std::move(tree))}};
}

Arrays matching(const Arrays& inputs) {
  const std::vector<Word>& offset = words(inputs, "offset");
  graph::Graph graph;
  graph.target = words(inputs, "neighbour");
  const auto rows = static_cast<int64_t>(offset.size()) - 1;
  if (rows < 0 || !std::ranges::is_sorted(offset) || offset.front() != 0 ||
      offset.back() != static_cast<Word>(graph.target.size())) {
    throw UserError("the offsets do not divide the neighbours");
  }
  graph.vertices = std::max(rows, words(inputs, "right").at(0));
  for (int64_t row = 0; row < rows; ++row) {
    const auto count =
        static_cast<size_t>(offset[static_cast<size_t>(row) + 1] - offset[static_cast<size_t>(row)]);
    graph.source.insert(graph.source.end(), count, row);
  }
  check_edges(graph);
  std::vector<int64_t> match = graph::maximum_matching(graph).column;
  match.resize(static_cast<size_t>(rows), -1);
  return {{"match", pram::ints(std::move(match))}};
}

Arrays product(const Arrays& inputs) {
  const Array& a = inputs.at("A");
  const Array& b = inputs.at("B");
  const auto numbers = [](const Array& array) {
    std::vector<double> reals;
    for (const Word word : array.words)
      reals.push_back(array.type == pram::Type::kReal ? pram::real_of(word) : static_cast<double>(word));
    return reals;
  };
  const auto extent = [](const Array& array, size_t i) { return static_cast<size_t>(array.extents.at(i)); };
  std::vector<double> cells(extent(a, 0) * extent(b, 1));
  matrix_product(numbers(a), numbers(b), cells, extent(a, 0), extent(a, 1), extent(b, 1));
  Array result = pram::reals(cells);
  result.extents = {a.extents[0], b.extents[1]};
  return {{"C", std::move(result)}};
}

}  // namespace

Tuned tuned_version(std::string_view program) {
  static const std::map<std::string_view, Tuned> versions = {{"reduction", sum},
                                                             {"scan", sums<true>},
                                                             {"doubling_scan", sums<true>},
                                                             {"exclusive_scan", sums<false>},
                                                             {"sort", sorted},
                                                             {"sort_odd_even", sorted},
                                                             {"sort_bitonic", sorted},
                                                             {"odd_even_sort", sorted},
                                                             {"bitonic_sort", sorted},
                                                             {"list_ranking", ranks},
                                                             {"tree_depth", depths},
                                                             {"components", labels},
                                                             {"breadth_first_search", levels},
                                                             {"spanning_forest", forest},
                                                             {"matching", matching},
                                                             {"matrix_product", product}};
  for (const pram::LibraryProgram& known : pram::library()) {
    const auto found = known.text == program ? versions.find(known.name) : versions.end();
    if (found != versions.end()) return found->second;
  }
  throw UserError("there is no tuned version of this program");
}

}  // namespace lanewise::cli::lab
