// Algorithms on graphs against the independent checkers, and these against broken answers.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/testing/test_size.h"
#include "graph/testing/random_graphs.h"
#include "graph/verify.h"

namespace lanewise::graph {
namespace {

void expect_right(const std::optional<std::string>& problem, uint64_t seed) {
  EXPECT_FALSE(problem) << *problem << ", seed " << seed;
}

TEST(Graphs, AnswersPassTheCheckers) {
  const auto graphs = test_size<uint64_t>(50, 500, 10'000);
  for (uint64_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_test_graph(seed);
    expect_right(check_components(graph, components(graph)), seed);
    const SpanningForest forest = spanning_forest(graph);
    expect_right(check_spanning_forest(graph, forest), seed);
    EXPECT_EQ(forest.trees, count_components(components(graph)));
    expect_right(check_matching(graph, maximum_matching(graph)), seed);
    expect_right(check_distances(graph, all_distances(graph)), seed);
    const Graph negative = random_test_graph(seed, true);
    expect_right(check_distances(negative, all_distances(negative)), seed);
  }
}

TEST(Graphs, LargeOnesToo) {
  const auto n = test_size<int64_t>(3'000, 200'000);
  for (const Graph& graph : {random_graph(n, n, 1), grid_graph(n / 500, 500), tree_graph(n, 3),
                             kronecker_graph(test_size(8, 14), 4)}) {
    expect_right(check_components(graph, components(graph)), 0);
    expect_right(check_spanning_forest(graph, spanning_forest(graph)), 0);
    expect_right(check_matching(graph, maximum_matching(graph)), 0);
  }
}

TEST(Graphs, DistancesOfAPath) {
  Graph graph = grid_graph(1, 70);
  const Distances distances = all_distances(graph);
  EXPECT_EQ(distances.pairs, 70 * 71 / 2);
  EXPECT_EQ(distances.at(3, 69), 66);
  EXPECT_EQ(distances.at(69, 3), std::numeric_limits<double>::infinity());
  EXPECT_EQ(distances.sum, 69.0 * 70 * 71 / 6);
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
