// Graph algorithms on a device, against the independent checkers and against the cores: steps on the
// host's threads over the fake driver, and, if there is one, on a GPU.
#include "graph/gpu/device_graph.h"

#include <gtest/gtest.h>

#include "base/testing/test_size.h"
#include "graph/testing/devices.h"
#include "graph/testing/random_graphs.h"
#include "graph/verify.h"

namespace lanewise::graph {
namespace {

class DeviceGraphs : public testing::TestWithParam<Steps::Where> {
 protected:
  void SetUp() override {
    gpu_ = device_for(GetParam(), LANEWISE_SOURCE_DIR);
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU, or no compiler for it";
  }

  DeviceGraph on_device(const Graph& graph) { return DeviceGraph(graph, *gpu_, GetParam()); }

  void expect_same(const Graph& graph, const std::string& which) {
    DeviceGraph there = on_device(graph);
    EXPECT_EQ(there.components(), components(graph)) << which;
    const SpanningForest found = there.spanning_forest(), expected = spanning_forest(graph);
    EXPECT_EQ(found.edges, expected.edges) << which;
    EXPECT_EQ(found.weight, expected.weight) << which;
    EXPECT_EQ(found.trees, expected.trees) << which;
    const Matching matching = there.maximum_matching();
    EXPECT_EQ(check_matching(graph, matching), std::nullopt) << which;
    EXPECT_EQ(matching.size, maximum_matching(graph).size) << which;
    for (int64_t root = 0; root < graph.vertices; root += 1 + graph.vertices / 3) {
      EXPECT_EQ(check_levels(graph, root, there.breadth_first_search(root)), std::nullopt) << which;
    }
  }

  void expect_distances(const Graph& graph, const std::string& which) {
    const Distances found = on_device(graph).all_distances(), expected = all_distances(graph);
    EXPECT_EQ(found.pairs, expected.pairs) << which;
    for (int64_t from = 0; from < graph.vertices; ++from) {
      for (int64_t to = 0; to < graph.vertices; ++to) {
        const double known = expected.at(from, to);
        if (found.at(from, to) == known) continue;
        ASSERT_NEAR(found.at(from, to), known, 1e-9 * (1 + std::fabs(known)))
            << from << " " << to << " " << which;
      }
    }
  }

  gpu::Device* gpu_ = nullptr;
};

TEST_P(DeviceGraphs, AnswersAreThoseOfCores) {
  const auto graphs = test_size<uint64_t>(10, 100, 2'000);
  for (uint64_t seed = 0; seed < graphs; ++seed) {
    expect_same(random_test_graph(seed), "seed " + std::to_string(seed));
  }
}

TEST_P(DeviceGraphs, LargeOnesToo) {
  const auto n = test_size<int64_t>(3'000, 100'000);
  expect_same(random_graph(n, 16 * n, 1), "uniform");
  expect_same(random_graph(n, n, 2), "sparse");
  expect_same(grid_graph(n / 500, 500), "grid");
  expect_same(tree_graph(n, 3), "tree");
  expect_same(kronecker_graph(test_size(8, 14), 4), "Kronecker");
}

TEST_P(DeviceGraphs, Distances) {
  const auto graphs = test_size<uint64_t>(3, 20, 200);
  for (uint64_t seed = 0; seed < graphs; ++seed) {
    expect_distances(random_test_graph(seed), "seed " + std::to_string(seed));
    expect_distances(random_test_graph(seed, true), "negative, seed " + std::to_string(seed));
  }
  Graph graph = random_graph(test_size(150, 400), 3'000, 5);
  expect_distances(graph, "several tiles");
  for (double& weight : graph.weight) weight += 0.125;
  expect_distances(graph, "several tiles of reals");
}

TEST_P(DeviceGraphs, WeightsOfAllKindsAreOrdered) {
  Graph graph = random_graph(40, 2'000, 6);
  const double kinds[] = {-1e300, -2.5, -0.0, 0.0, 5e-324, 1, 1e300};
  for (size_t e = 0; e < graph.edges(); ++e) graph.weight[e] = kinds[e * 7919 % 7];
  expect_same(graph, "weights of all kinds");
}

TEST(GraphKernels, Compile) {
  if (!gpu::find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "no NVRTC";
  EXPECT_FALSE(gpu::Compiler::system().compile(Steps::threads(), "sm_90").empty());
  EXPECT_FALSE(gpu::Compiler::system().compile(Steps::blocks(), "sm_90").empty());
}

INSTANTIATE_TEST_SUITE_P(On, DeviceGraphs, testing::Values(Steps::Where::kHost, Steps::Where::kGpu),
                         [](const auto& test) { return test.param == Steps::Where::kHost ? "Host" : "Gpu"; });

}  // namespace
}  // namespace lanewise::graph
