// Algorithms on graphs whose data is in memory: Kronecker and uniform graphs of 2^scale vertices and 16 times
// as many edges, a bipartite graph, dense distances.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.h"
#include "graph/components.h"
#include "graph/device/forest-inl.h"
#include "graph/distances.h"
#include "graph/matching.h"
#include "graph/spanning_forest.h"
#include "primitives/parallel.h"

namespace {

using namespace lanewise::graph;

Graph kronecker(int64_t scale) { return kronecker_graph(scale, 1); }
Graph uniform(int64_t scale) { return random_graph(int64_t{1} << scale, int64_t{16} << scale, 1); }

Graph weighted(Graph graph) {
  lanewise::Random random(2);
  graph.weight.clear();
  for (size_t e = 0; e < graph.edges(); ++e)
    graph.weight.push_back(static_cast<double>(random.below(1 << 20)));
  return graph;
}

/// `algorithm` on `graph`; counts its edges a second.
template <class F>
void measure(benchmark::State& state, const Graph& graph, F algorithm) {
  for (auto _ : state) benchmark::DoNotOptimize(algorithm(graph));
  state.counters["edges"] =
      benchmark::Counter(static_cast<double>(graph.edges()), benchmark::Counter::kIsIterationInvariantRate);
}

/// What components() is compared with: Afforest on neighbours side by side, as in the GAP benchmark suite.
/// Two neighbours of each vertex, then all of those that are not in the largest component.
class ByNeighbours {
 public:
  explicit ByNeighbours(const Graph& graph)
      : vertices_(static_cast<uint32_t>(graph.vertices)), at_(vertices_ + 2) {
    const auto each_end = [&](auto f) {
      for (size_t e = 0; e < graph.edges(); ++e) {
        f(static_cast<uint32_t>(graph.source[e]), static_cast<uint32_t>(graph.target[e]));
        f(static_cast<uint32_t>(graph.target[e]), static_cast<uint32_t>(graph.source[e]));
      }
    };
    each_end([&](uint32_t v, uint32_t) { ++at_[v + 2]; });
    std::partial_sum(at_.begin(), at_.end(), at_.begin());
    neighbour_.resize(at_.back());
    each_end([&](uint32_t v, uint32_t end) { neighbour_[at_[v + 1]++] = end; });
  }

  std::vector<uint32_t> components() const {
    std::vector<uint32_t> parent(vertices_);
    for_vertices([&](uint32_t v) { parent[v] = v; });
    const auto flatten = [&] {
      for_vertices([&](uint32_t v) { store(&parent[v], root_of(parent.data(), v)); });
    };
    for (uint32_t k = 0; k < 2; ++k) {
      for_vertices([&](uint32_t v) {
        if (at_[v] + k < at_[v + 1]) link(parent.data(), v, neighbour_[at_[v] + k]);
      });
      flatten();
    }
    std::map<uint32_t, int> count;
    uint32_t most = 0;
    for (uint32_t i = 0; i < 1'024; ++i) {
      const uint32_t root = parent[vertices_ / 1'024 * i];
      if (++count[root] > count[most]) most = root;
    }
    for_vertices([&](uint32_t v) {
      if (load(&parent[v]) == most) return;
      for (uint32_t i = at_[v] + 2; i < at_[v + 1]; ++i) link(parent.data(), v, neighbour_[i]);
    });
    flatten();
    return parent;
  }

 private:
  template <class F>
  void for_vertices(F f) const {
    constexpr uint32_t kPart = 1 << 14;
    lanewise::parallel_for((vertices_ + kPart - 1) / kPart, [&](size_t part) {
      const auto begin = static_cast<uint32_t>(part) * kPart;
      for (uint32_t v = begin; v < std::min(vertices_, begin + kPart); ++v) f(v);
    });
  }

  uint32_t vertices_;
  std::vector<uint32_t> at_, neighbour_;  // both ways
};

void by_neighbours(benchmark::State& state, const Graph& graph) {
  const ByNeighbours rows(graph);
  if (rows.components() != components(graph)) state.SkipWithError("other components");
  for (auto _ : state) benchmark::DoNotOptimize(rows.components());
}

void components_kronecker(benchmark::State& state) { measure(state, kronecker(state.range(0)), components); }
void components_uniform(benchmark::State& state) { measure(state, uniform(state.range(0)), components); }
void components_kronecker_by_neighbours(benchmark::State& state) {
  by_neighbours(state, kronecker(state.range(0)));
}
void components_uniform_by_neighbours(benchmark::State& state) {
  by_neighbours(state, uniform(state.range(0)));
}
void forest_kronecker(benchmark::State& state) {
  measure(state, weighted(kronecker(state.range(0))), spanning_forest);
}
void forest_uniform(benchmark::State& state) {
  measure(state, weighted(uniform(state.range(0))), spanning_forest);
}
/// Rows and columns of the given number, 5 edges each.
void matching(benchmark::State& state) {
  measure(state, random_graph(state.range(0), 5 * state.range(0), 3), maximum_matching);
}
/// Of the given number of vertices, 16 edges each; counts relaxations.
void distances(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Graph graph = random_graph(n, 16 * n, 4);
  for (auto _ : state) benchmark::DoNotOptimize(all_distances(graph).pairs);
  state.counters["relaxations"] =
      benchmark::Counter(static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
                         benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(components_kronecker)
    ->Arg(20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(components_kronecker_by_neighbours)
    ->Arg(20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(components_uniform)->Arg(20)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(components_uniform_by_neighbours)
    ->Arg(20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(forest_kronecker)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(forest_uniform)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matching)->Arg(2'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(distances)->Arg(1'024)->Arg(2'048)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
