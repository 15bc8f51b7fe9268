// The library's programs against known answers and sequential algorithms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "base/random.h"
#include "base/testing/test_size.h"
#include "pram/inputs/graph.h"
#include "pram/language/format.h"
#include "pram/library.h"
#include "pram/run.h"

namespace lanewise::pram {
namespace {

using Numbers = std::vector<int64_t>;

const std::vector<int64_t> kSizes = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1500};

Numbers random_numbers(int64_t n, uint64_t seed, int64_t bound = 1000) {
  Random random(seed);
  Numbers result;
  for (int64_t i = 0; i < n; ++i) {
    result.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(bound))) - bound / 2);
  }
  return result;
}

Result run_named(std::string_view name, const Arrays& inputs) { return run(library_program(name), inputs); }

Numbers output(const Result& result, std::string_view name) {
  return result.outputs.find(name)->second.words;
}

TEST(Library, EveryProgramIsFormattedAndWithoutWarning) {
  ASSERT_GE(library().size(), 18u);
  for (const LibraryProgram& program : library()) {
    SCOPED_TRACE(program.name);
    EXPECT_EQ(format(program.text), program.text);
    EXPECT_THAT(std::string(program.summary()), testing::EndsWith("."));  // a whole sentence, for `list`
    EXPECT_THAT(program.text, testing::HasSubstr("# Work O("));
    const Program parsed = library_program(program.name);
    for (const Diagnostic& warning : parsed.warnings()) ADD_FAILURE() << parsed.render(warning);
  }
  EXPECT_THROW(library_program("no_such"), UserError);
}

TEST(Library, Reduction) {
  for (const int64_t n : kSizes) {
    const Numbers a = random_numbers(n, 1);
    const Result result = run_named("reduction", {{"A", ints(a)}});
    EXPECT_EQ(output(result, "sum"), Numbers{std::accumulate(a.begin(), a.end(), int64_t{0})}) << n;
    EXPECT_LE(result.cost.work, static_cast<uint64_t>(2 * n + 40 + 3 * std::log2(n + 2)));
  }
}

TEST(Library, Scans) {
  for (const int64_t n : kSizes) {
    const Numbers a = random_numbers(n, 2);
    Numbers inclusive(a.size());
    Numbers exclusive(a.size());
    std::partial_sum(a.begin(), a.end(), inclusive.begin());
    std::exclusive_scan(a.begin(), a.end(), exclusive.begin(), int64_t{0});
    EXPECT_EQ(output(run_named("scan", {{"A", ints(a)}}), "S"), inclusive) << n;
    EXPECT_EQ(output(run_named("doubling_scan", {{"A", ints(a)}}), "S"), inclusive) << n;
    EXPECT_EQ(output(run_named("exclusive_scan", {{"A", ints(a)}}), "S"), exclusive) << n;

    Array first = ints(random_numbers(n, 3, 4));
    first.type = Type::kBool;
    Numbers segmented(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      first.words[i] = first.words[i] == 1;
      segmented[i] = a[i] + (i == 0 || first.words[i] ? 0 : segmented[i - 1]);
    }
    EXPECT_EQ(output(run_named("segmented_scan", {{"A", ints(a)}, {"first", first}}), "S"), segmented) << n;
  }
}

TEST(Library, Sorts) {
  for (const int64_t n : kSizes) {
    const Numbers a = random_numbers(n, 4, 50);
    Numbers sorted = a;
    std::sort(sorted.begin(), sorted.end());
    for (const char* name : {"sort", "sort_odd_even", "sort_bitonic", "bitonic_sort"}) {
      EXPECT_EQ(output(run_named(name, {{"A", ints(a)}}), "A"), sorted) << name << ", " << n;
    }
    if (n < 100) {
      EXPECT_EQ(output(run_named("odd_even_sort", {{"A", ints(a)}}), "A"), sorted) << n;
    }
    Numbers other = random_numbers(2 * n / 3, 5, 50);
    std::sort(other.begin(), other.end());
    Numbers merged;
    std::merge(sorted.begin(), sorted.end(), other.begin(), other.end(), std::back_inserter(merged));
    EXPECT_EQ(output(run_named("merge", {{"A", ints(sorted)}, {"B", ints(other)}}), "C"), merged) << n;
  }
}

TEST(Library, MaximumAndBroadcast) {
  for (const int64_t n : kSizes) {
    if (n > 100) continue;
    const Result spread = run_named("broadcast", {{"n", scalar(n)}, {"value", scalar(7)}});
    EXPECT_EQ(output(spread, "copies"), Numbers(static_cast<size_t>(n), 7));
    if (n == 0) continue;
    const Numbers a = random_numbers(n, 6, 20);
    const Result result = run_named("maximum", {{"A", ints(a)}});
    const auto greatest = std::max_element(a.begin(), a.end());
    EXPECT_EQ(output(result, "greatest"), Numbers{*greatest});
    EXPECT_EQ(output(result, "place"), Numbers{greatest - a.begin()});
    EXPECT_LE(result.cost.depth, 5u);
  }
}

TEST(Library, MatrixProduct) {
  const Numbers a = random_numbers(5 * 7, 7);
  const Numbers b = random_numbers(7 * 3, 8);
  const Result result = run_named("matrix_product", {{"A", matrix(a, 7)}, {"B", matrix(b, 3)}});
  const Array& c = result.outputs.at("C");
  EXPECT_EQ(c.extents, (std::vector<int64_t>{5, 3}));
  for (size_t i = 0; i < 5; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 7; ++k) sum += static_cast<double>(a[i * 7 + k] * b[k * 3 + j]);
      EXPECT_EQ(real_of(c.words[i * 3 + j]), sum);
    }
  }
}

TEST(Library, ListRankingAndTreeDepth) {
  for (const int64_t n : kSizes) {
    Numbers order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    Random random(9);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    Numbers next(order.size(), -1);
    Numbers rank(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      if (i + 1 < order.size()) next[static_cast<size_t>(order[i])] = order[i + 1];
      rank[static_cast<size_t>(order[i])] = static_cast<int64_t>(order.size() - 1 - i);
    }
    EXPECT_EQ(output(run_named("list_ranking", {{"next", ints(next)}}), "rank"), rank) << n;

    Numbers parent(order.size());
    Numbers depth(order.size());
    for (size_t v = 1; v < parent.size(); ++v) {
      parent[v] = static_cast<int64_t>(random.below(v));
      depth[v] = depth[static_cast<size_t>(parent[v])] + 1;
    }
    EXPECT_EQ(output(run_named("tree_depth", {{"parent", ints(parent)}}), "depth"), depth) << n;
  }
}

/// Roots of vertices, the least of each component.
class Components {
 public:
  explicit Components(int64_t n) : root_(static_cast<size_t>(n)) { std::iota(root_.begin(), root_.end(), 0); }
  int64_t root(int64_t v) const {
    while (root_[static_cast<size_t>(v)] != v) v = root_[static_cast<size_t>(v)];
    return v;
  }
  bool join(int64_t a, int64_t b) {
    a = root(a);
    b = root(b);
    root_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    return a != b;
  }
  Numbers labels() const {
    Numbers result;
    for (size_t v = 0; v < root_.size(); ++v) result.push_back(root(static_cast<int64_t>(v)));
    return result;
  }

 private:
  Numbers root_;
};

graph::Graph graph_of(int64_t n, uint64_t seed) {
  return graph::random_graph(n, n == 0 ? 0 : 2 * n / 3 + static_cast<int64_t>(seed % 7) * n / 5, seed);
}

Arrays without(Arrays inputs, std::initializer_list<const char*> names) {
  for (const char* name : names) inputs.erase(name);
  return inputs;
}

Array square(int64_t n) {
  Array result = matrix(Numbers(static_cast<size_t>(n * n)), std::max<int64_t>(n, 1));
  result.extents = {n, n};
  return result;
}

TEST(Library, Components) {
  for (const int64_t n : kSizes) {
    for (uint64_t seed = 0; seed < test_size<uint64_t>(2, 5); ++seed) {
      const graph::Graph graph = graph_of(n, seed);
      Components expected(n);
      for (size_t e = 0; e < graph.edges(); ++e) expected.join(graph.source[e], graph.target[e]);
      EXPECT_EQ(output(run_named("components", without(graph_inputs(graph), {"weight"})), "label"),
                expected.labels());
      if (n > 100) continue;
      Array edge = square(n);
      edge.type = Type::kBool;
      for (size_t e = 0; e < graph.edges(); ++e) {
        edge.words[static_cast<size_t>(graph.source[e] * n + graph.target[e])] = 1;
        edge.words[static_cast<size_t>(graph.target[e] * n + graph.source[e])] = 1;
      }
      EXPECT_EQ(output(run_named("components_matrix", {{"edge", edge}}), "label"), expected.labels());
    }
  }
}

TEST(Library, GraphsGiveWhatProgramsAskFor) {
  graph::Graph graph;
  graph.vertices = 4;
  graph.source = {1, 3, 1, 2, 2};
  graph.target = {0, 1, 0, 2, 1};
  graph.weight = {7, -2, 5, 9, 3};
  const auto input = [&](const char* name, size_t dimensions) {
    return graph_input(graph, name, dimensions);
  };
  EXPECT_EQ(input("right", 0), scalar(4));
  EXPECT_EQ(input("offset", 1), ints({0, 0, 2, 4, 5}));
  EXPECT_EQ(input("neighbour", 1), ints({0, 0, 2, 1, 1}));
  Array edge = matrix({0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0}, 4);
  edge.type = Type::kBool;
  EXPECT_EQ(input("edge", 2), edge);
  EXPECT_EQ(input("weight", 2), matrix({0, 5, 0, 0, 5, 0, 3, -2, 0, 3, 0, 0, 0, -2, 0, 0}, 4));
  Array far = reals({HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, 5, HUGE_VAL, HUGE_VAL, HUGE_VAL,  //
                     HUGE_VAL, 3, 9, HUGE_VAL, HUGE_VAL, -2, HUGE_VAL, HUGE_VAL});
  far.extents = {4, 4};
  EXPECT_EQ(input("W", 2), far);
  EXPECT_THROW(input("parent", 1), UserError);
  for (const auto& [name, array] : graph_inputs(graph)) {
    EXPECT_EQ(input(name.c_str(), array.extents.size()), array);
  }
  EXPECT_EQ(input("edge", 1), std::nullopt);
  EXPECT_EQ(graph_input(graph::tree_graph(3, 1), "parent", 1)->words[1], 0);
  EXPECT_THROW(graph_input(graph::grid_graph(200, 200), "W", 2), UserError);
}

TEST(Library, SpanningForestIsTheLightest) {
  for (const int64_t n : kSizes) {
    for (uint64_t seed = 0; seed < test_size<uint64_t>(2, 5); ++seed) {
      const graph::Graph graph = graph_of(n, seed);
      std::vector<size_t> edges(graph.edges());
      std::iota(edges.begin(), edges.end(), size_t{0});
      std::stable_sort(edges.begin(), edges.end(),
                       [&](size_t a, size_t b) { return graph.weight[a] < graph.weight[b]; });
      Components joined(n);
      Numbers tree(graph.edges());
      for (const size_t e : edges) tree[e] = joined.join(graph.source[e], graph.target[e]);
      EXPECT_EQ(output(run_named("spanning_forest", graph_inputs(graph)), "tree"), tree);
    }
  }
}

TEST(Library, SpanningForestOfAMatrixIsTheLightest) {
  for (const int64_t n : kSizes) {
    if (n > 100) continue;
    for (uint64_t seed = 0; seed < test_size<uint64_t>(2, 5); ++seed) {
      const graph::Graph graph = graph_of(n, seed);
      Arrays inputs = {{"edge", square(n)}, {"weight", square(n)}};
      inputs["edge"].type = Type::kBool;
      for (size_t e = 0; e < graph.edges(); ++e) {
        const int64_t from = graph.source[e], to = graph.target[e];
        for (const auto cell : {static_cast<size_t>(from * n + to), static_cast<size_t>(to * n + from)}) {
          inputs["edge"].words[cell] = 1;
          inputs["weight"].words[cell] = static_cast<int64_t>(graph.weight[e]) % 5 - 2;  // many are equal
        }
      }
      std::vector<size_t> cells;  // i < j, in the order of their numbers
      for (size_t cell = 0; cell < static_cast<size_t>(n * n); ++cell) {
        if (inputs["edge"].words[cell] != 0 &&
            static_cast<int64_t>(cell) / n < static_cast<int64_t>(cell) % n)
          cells.push_back(cell);
      }
      std::stable_sort(cells.begin(), cells.end(), [&](size_t a, size_t b) {
        return inputs["weight"].words[a] < inputs["weight"].words[b];
      });
      Components joined(n);
      Numbers tree(static_cast<size_t>(n * n));
      for (const size_t cell : cells) {
        const int64_t i = static_cast<int64_t>(cell) / n, j = static_cast<int64_t>(cell) % n;
        if (joined.join(i, j)) tree[cell] = tree[static_cast<size_t>(j * n + i)] = 1;
      }
      EXPECT_EQ(output(run_named("spanning_forest_matrix", inputs), "tree"), tree);
    }
  }
}

TEST(Library, BreadthFirstSearch) {
  const graph::Graph graph = graph_of(300, 6);
  Numbers level(300, -1);
  level[5] = 0;
  for (bool more = true; std::exchange(more, false);) {
    for (size_t e = 0; e < graph.edges(); ++e) {
      const int64_t from = level[static_cast<size_t>(graph.source[e])];
      int64_t& to = level[static_cast<size_t>(graph.target[e])];
      if (from >= 0 && (to < 0 || to > from + 1)) to = from + 1, more = true;
    }
  }
  Arrays inputs = without(graph_inputs(graph), {"weight"});
  inputs["root"] = scalar(5);
  EXPECT_EQ(output(run_named("breadth_first_search", inputs), "level"), level);
}

TEST(Library, AllPairsDistances) {
  const size_t n = 24;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    std::vector<double> weights(n * n, HUGE_VAL);
    for (size_t e = 0; e < 3 * n; ++e) {
      weights[random.below(n * n)] = static_cast<double>(random.below(20)) - (seed == 3 ? 8 : 0);
    }
    std::vector<double> distances = weights;  // Bellman-Ford: paths of more and more edges
    bool negative = false;
    for (size_t v = 0; v < n; ++v) distances[v * n + v] = std::min(distances[v * n + v], 0.0);
    for (size_t round = 0; round < 2 * n; ++round) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          for (size_t k = 0; k < n; ++k) {
            distances[i * n + j] = std::min(distances[i * n + j], distances[i * n + k] + weights[k * n + j]);
          }
        }
      }
    }
    for (size_t v = 0; v < n; ++v) negative |= distances[v * n + v] < 0;
    Array input = reals(weights);
    input.extents = {n, n};
    const Result result = run_named("all_pairs_distances", {{"W", input}});
    EXPECT_EQ(result.outputs.at("negative").words[0], negative) << seed;
    EXPECT_EQ(negative, seed == 3);
    if (negative) continue;
    const std::vector<Word>& next = result.outputs.at("next").words;
    for (size_t i = 0; i < n * n; ++i) {
      EXPECT_EQ(real_of(result.outputs.at("D").words[i]), distances[i]);
      const size_t to = i % n;
      size_t at = i / n, steps = 0;
      double length = 0;
      for (; at != to && next[at * n + to] >= 0 && steps < n; ++steps) {
        const auto behind = static_cast<size_t>(next[at * n + to]);
        length += weights[at * n + behind];
        at = behind;
      }
      EXPECT_EQ(at == to ? length : HUGE_VAL, distances[i]);
    }
  }
}

TEST(Library, MatchingIsAMaximumOne) {
  for (uint64_t seed = 0; seed < test_size<uint64_t>(20, 200); ++seed) {
    Random random(seed);
    const size_t left = random.below(40);
    const size_t right = random.below(40);
    std::vector<std::set<int64_t>> neighbours(left);
    const size_t edges = right == 0 || left == 0 ? 0 : random.below(3 * left);
    for (size_t e = 0; e < edges; ++e) {
      neighbours[random.below(left)].insert(static_cast<int64_t>(random.below(right)));
    }
    Numbers offset = {0};
    Numbers flat;
    for (const auto& list : neighbours) {
      flat.insert(flat.end(), list.begin(), list.end());
      offset.push_back(static_cast<int64_t>(flat.size()));
    }
    // Augmenting paths, one left vertex after another.
    Numbers owner(right, -1);
    int64_t expected = 0;
    for (size_t v = 0; v < left; ++v) {
      std::vector<bool> seen(right);
      const std::function<bool(size_t)> augment = [&](size_t u) {
        for (const int64_t w : neighbours[u]) {
          if (seen[static_cast<size_t>(w)]) continue;
          seen[static_cast<size_t>(w)] = true;
          int64_t& owned = owner[static_cast<size_t>(w)];
          if (owned >= 0 && !augment(static_cast<size_t>(owned))) continue;
          owned = static_cast<int64_t>(u);
          return true;
        }
        return false;
      };
      expected += augment(v);
    }
    const Result result = run_named("matching", {{"offset", ints(offset)},
                                                 {"neighbour", ints(flat)},
                                                 {"right", scalar(static_cast<int64_t>(right))}});
    const Numbers match = output(result, "match");
    std::set<int64_t> used;
    for (size_t v = 0; v < left; ++v) {
      if (match[v] < 0) continue;
      EXPECT_TRUE(neighbours[v].contains(match[v]));
      EXPECT_TRUE(used.insert(match[v]).second);
    }
    EXPECT_EQ(static_cast<int64_t>(used.size()), expected) << seed;
  }
}

}  // namespace
}  // namespace lanewise::pram
