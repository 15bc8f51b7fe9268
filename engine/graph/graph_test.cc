// Graph algorithms against the independent checkers, and the checkers against broken answers.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "graph/neighbours.h"
#include "graph/paths.h"
#include "graph/testing/random_graphs.h"
#include "graph/verify.h"

namespace lanewise::graph {
namespace {

void expect_right(const std::optional<std::string>& problem, uint64_t seed) {
  EXPECT_FALSE(problem) << *problem << ", seed " << seed;
}

/// From edges, from sorted adjacency lists, and from unsorted ones.
void expect_components(const Graph& graph, uint64_t seed) {
  const std::vector<uint32_t> label = components(graph);
  expect_right(check_components(graph, label), seed);
  EXPECT_EQ(components(neighbours_both_ways(graph)), label) << seed;
  std::vector<int64_t> of = graph.source, to = graph.target;
  of.insert(of.end(), graph.target.begin(), graph.target.end());
  to.insert(to.end(), graph.source.begin(), graph.source.end());
  EXPECT_EQ(components(Neighbours(static_cast<size_t>(graph.vertices), of, to)), label) << seed;
}

TEST(Graphs, AnswersPassTheCheckers) {
  const auto graphs = test_size<uint64_t>(50, 500, 10'000);
  for (uint64_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_test_graph(seed);
    expect_components(graph, seed);
    const SpanningForest forest = spanning_forest(graph);
    expect_right(check_spanning_forest(graph, forest), seed);
    EXPECT_EQ(forest.trees, count_components(components(graph)));
    expect_right(check_matching(graph, maximum_matching(graph)), seed);
    expect_right(check_distances(graph, all_distances(graph)), seed);
    for (const BreadthFirstSearch::Use use :
         {BreadthFirstSearch::Use::kOnce, BreadthFirstSearch::Use::kOften}) {
      const BreadthFirstSearch search(graph, use);
      for (int64_t root = 0; root < graph.vertices; root += 7) {
        expect_right(check_levels(graph, root, search.from(root)), seed);
      }
    }
    const Graph negative = random_test_graph(seed, true);
    expect_right(check_distances(negative, all_distances(negative)), seed);
  }
}

TEST(Graphs, LargeOnesToo) {
  const auto n = test_size<int64_t>(3'000, 200'000);
  for (const Graph& graph : {random_graph(n, n, 1), grid_graph(n / 500, 500), tree_graph(n, 3),
                             kronecker_graph(test_size(8, 14), 4), bipartite_graph(n, n / 2, n, 5)}) {
    expect_components(graph, 0);
    expect_right(check_spanning_forest(graph, spanning_forest(graph)), 0);
    expect_right(check_matching(graph, maximum_matching(graph)), 0);
    const BreadthFirstSearch search(graph);
    for (const int64_t root : {int64_t{0}, graph.vertices / 2}) {
      expect_right(check_levels(graph, root, search.from(root)), 0);
    }
  }
}

TEST(Graphs, SidesOfBipartiteOnesAreApart) {
  const Graph graph = bipartite_graph(3, 4, 200, 1);
  EXPECT_EQ(graph.vertices, 7);
  EXPECT_EQ(std::set(graph.source.begin(), graph.source.end()), (std::set<int64_t>{0, 1, 2}));
  EXPECT_EQ(std::set(graph.target.begin(), graph.target.end()), (std::set<int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(maximum_matching(graph).size, 3);
  EXPECT_EQ(bipartite_graph(3, 0, 5, 1).edges(), 0u);
  EXPECT_THROW(bipartite_graph(-1, 2, 5, 1), UserError);
  EXPECT_THROW(bipartite_graph(INT64_MAX, 2, 5, 1), UserError);
}

TEST(Graphs, NeighboursBothWays) {
  Graph graph;
  graph.vertices = 4;
  graph.source = {2, 0, 3, 2, 1, 0};
  graph.target = {0, 2, 0, 1, 1, 3};
  const Neighbours neighbours = neighbours_both_ways(graph);
  const std::vector<std::vector<uint32_t>> expected = {{2, 3}, {2}, {0, 1}, {0}};
  for (uint32_t v = 0; v < 4; ++v) {
    const auto ends = neighbours.of(v);
    EXPECT_EQ(std::vector(ends.begin(), ends.end()), expected[v]);
  }
  EXPECT_EQ(components(Neighbours()), std::vector<uint32_t>());
}

TEST(Graphs, DistancesOfAPath) {
  Graph graph = grid_graph(1, 70);
  const Distances distances = all_distances(graph);
  EXPECT_EQ(distances.pairs, 70 * 71 / 2);
  EXPECT_EQ(distances.at(3, 69), 66);
  EXPECT_EQ(distances.at(69, 3), std::numeric_limits<double>::infinity());
  EXPECT_EQ(distances.sum, 69.0 * 70 * 71 / 6);
}

TEST(Graphs, PathsAreAsLongAsTheirDistances) {
  for (uint64_t seed = 0; seed < test_size<uint64_t>(10, 100); ++seed) {
    const Graph graph = random_test_graph(seed, seed % 2 == 0);
    const Distances distances = all_distances(graph);
    for (int64_t from = 0; from < graph.vertices; from += 7) {
      for (int64_t to = 0; to < graph.vertices; to += 3) {
        const auto path = shortest_path(graph, distances, from, to);
        ASSERT_EQ(path.has_value(), std::isfinite(distances.at(from, to))) << seed;
        if (!path) continue;
        EXPECT_EQ(path->front(), from);
        EXPECT_EQ(path->back(), to);
        double length = 0;
        for (size_t i = 0; i + 1 < path->size(); ++i) {
          double lightest = std::numeric_limits<double>::infinity();
          for (size_t e = 0; e < graph.edges(); ++e) {
            if (graph.source[e] != (*path)[i] || graph.target[e] != (*path)[i + 1]) continue;
            lightest = std::min(lightest, graph.weight_of(e));
          }
          length += lightest;
        }
        EXPECT_EQ(length, distances.at(from, to)) << "from " << from << " to " << to << ", seed " << seed;
      }
    }
  }
}

TEST(Graphs, LevelsOfAPath) {
  const Graph graph = grid_graph(1, 70);
  const Levels levels = breadth_first_search(graph, 30);
  EXPECT_EQ(levels.reached, 40);
  EXPECT_EQ(levels.levels, 40);
  EXPECT_EQ(levels.level[29], -1);
  EXPECT_EQ(levels.level[69], 39);
  EXPECT_THROW(breadth_first_search(graph, 70), UserError);
  EXPECT_THROW(breadth_first_search(graph, -1), UserError);
  EXPECT_THROW(breadth_first_search(Graph(), 0), UserError);
}

TEST(Graphs, NegativeCyclesAreRefused) {
  Graph graph = grid_graph(1, 5);
  graph.weight.assign(graph.edges(), 2);
  graph.source.push_back(3);
  graph.target.push_back(1);
  graph.weight.push_back(-5);
  EXPECT_THROW(all_distances(graph), UserError);
  graph.weight.back() = -4;
  EXPECT_EQ(all_distances(graph).at(3, 2), -2);
}

TEST(Graphs, MatrixOverTheBudgetIsRefused) {
  MemoryBudget budget(1 << 20);
  EXPECT_THROW(all_distances(grid_graph(100, 100), &budget), MemoryError);
}

TEST(Checkers, RefuseWhatIsBroken) {
  const Graph graph = grid_graph(4, 5);
  std::vector<uint32_t> label = components(graph);
  label[7] = 7;
  EXPECT_TRUE(check_components(graph, label));
  const Levels search = breadth_first_search(graph, 0);
  for (const int32_t wrong : {-1, 0, 1, 3}) {  // vertex 7 is in row 1 and column 2
    Levels levels = search;
    levels.level[7] = wrong;
    EXPECT_EQ(check_levels(graph, 0, levels).has_value(), wrong != search.level[7]) << wrong;
  }
  Levels counted = search;
  ++counted.reached;
  EXPECT_TRUE(check_levels(graph, 0, counted));
  SpanningForest forest = spanning_forest(graph);
  forest.edges.back() = forest.edges.front();
  EXPECT_TRUE(check_spanning_forest(graph, forest));
  const Matching right = maximum_matching(graph);
  Matching matching = right;
  matching.cover_columns.pop_back();
  EXPECT_TRUE(check_matching(graph, matching));
  matching = right;
  matching.column[0] = matching.column[1];
  EXPECT_TRUE(check_matching(graph, matching));
  Distances distances = all_distances(graph);
  ++distances.pairs;
  EXPECT_TRUE(check_distances(graph, distances));
  Graph shorter = graph;
  shorter.source.push_back(0);
  shorter.target.push_back(19);
  EXPECT_TRUE(check_distances(shorter, all_distances(graph)));
}

}  // namespace
}  // namespace lanewise::graph
