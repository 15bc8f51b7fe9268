// Algorithms on graphs whose data is in memory: Kronecker and uniform graphs of 2^scale vertices and 16 times
// as many edges, a bipartite graph, dense distances.
#include <benchmark/benchmark.h>

#include "base/random.h"
#include "device/error.h"
#include "graph/components.h"
#include "graph/device/device_graph.h"
#include "graph/distances.h"
#include "graph/matching.h"
#include "graph/spanning_forest.h"
#include "graph/testing/rivals.h"

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

void by_neighbours(benchmark::State& state, const Graph& graph) {
  const ByNeighbours rows(graph);
  if (rows.components() != components(graph)) state.SkipWithError("other components");
  for (auto _ : state) benchmark::DoNotOptimize(rows.components());
}

/// `answer` of a graph on the GPU: the device's time, data there.
template <class F>
void on_gpu(benchmark::State& state, const Graph& graph, F answer) {
  try {
    DeviceGraph there(graph, lanewise::device::Driver::system().device(0));
    answer(there);
    for (auto _ : state) {
      answer(there);
      state.SetIterationTime(there.seconds());
    }
  } catch (const lanewise::device::DeviceError& error) {
    state.SkipWithError(error.what());
  }
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
void cuda_components_kronecker(benchmark::State& state) {
  on_gpu(state, kronecker(state.range(0)), [](DeviceGraph& there) { there.components(); });
}
void cuda_components_uniform(benchmark::State& state) {
  on_gpu(state, uniform(state.range(0)), [](DeviceGraph& there) { there.components(); });
}
void cuda_forest_kronecker(benchmark::State& state) {
  on_gpu(state, weighted(kronecker(state.range(0))), [](DeviceGraph& there) { there.spanning_forest(); });
}
void cuda_forest_uniform(benchmark::State& state) {
  on_gpu(state, weighted(uniform(state.range(0))), [](DeviceGraph& there) { there.spanning_forest(); });
}
/// Rows and columns of the given number, 5 edges each.
void matching(benchmark::State& state) {
  measure(state, random_graph(state.range(0), 5 * state.range(0), 3), maximum_matching);
}
void cuda_matching(benchmark::State& state) {
  on_gpu(state, random_graph(state.range(0), 5 * state.range(0), 3),
         [](DeviceGraph& there) { there.maximum_matching(); });
}
/// The search alone, neighbours given.
void matching_hopcroft_karp(benchmark::State& state) {
  const HopcroftKarp rival(random_graph(state.range(0), 5 * state.range(0), 3));
  for (auto _ : state) benchmark::DoNotOptimize(rival.size());
}
void cuda_distances(benchmark::State& state) {
  const int64_t n = state.range(0);
  on_gpu(state, random_graph(n, 16 * n, 4), [](DeviceGraph& there) { there.all_distances(); });
  state.counters["relaxations"] =
      benchmark::Counter(static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
                         benchmark::Counter::kIsIterationInvariantRate);
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
BENCHMARK(matching_hopcroft_karp)
    ->Arg(2'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK(cuda_components_kronecker)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(9)->UseManualTime();
BENCHMARK(cuda_components_uniform)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(9)->UseManualTime();
BENCHMARK(cuda_forest_kronecker)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(5)->UseManualTime();
BENCHMARK(cuda_forest_uniform)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(5)->UseManualTime();
BENCHMARK(cuda_matching)->Arg(2'000'000)->Unit(benchmark::kMillisecond)->Iterations(3)->UseManualTime();
BENCHMARK(cuda_distances)->Arg(8'192)->Unit(benchmark::kMillisecond)->Iterations(2)->UseManualTime();
BENCHMARK(distances)->Arg(1'024)->Arg(2'048)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
