// Graph algorithms on data in memory: Kronecker and uniform graphs of 2^scale vertices and 16 times
// as many edges, a bipartite graph, dense distances.
#include <benchmark/benchmark.h>

#include "base/random.h"
#include "gpu/error.h"
#include "graph/breadth_first_search.h"
#include "graph/chains.h"
#include "graph/components.h"
#include "graph/distances.h"
#include "graph/gpu/device_chains.h"
#include "graph/gpu/device_graph.h"
#include "graph/matching.h"
#include "graph/neighbours.h"
#include "graph/spanning_forest.h"
#include "graph/testing/chains.h"
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

/// `algorithm` on `graph`; reports its edges per second.
template <class F>
void measure(benchmark::State& state, const Graph& graph, F algorithm) {
  for (auto _ : state) benchmark::DoNotOptimize(algorithm(graph));
  state.counters["edges"] =
      benchmark::Counter(static_cast<double>(graph.edges()), benchmark::Counter::kIsIterationInvariantRate);
}

/// From adjacency lists in both directions: ours, and Afforest as in the GAP benchmark suite.
using OfNeighbours = std::vector<uint32_t>(const Neighbours&);
void by_neighbours(benchmark::State& state, const Graph& graph, OfNeighbours* algorithm) {
  const Neighbours neighbours = neighbours_both_ways(graph);
  if (algorithm(neighbours) != components(graph)) state.SkipWithError("other components");
  for (auto _ : state) benchmark::DoNotOptimize(algorithm(neighbours));
}

/// `answer` for a graph on the GPU: the device's time, with the data there.
template <class F>
void on_gpu(benchmark::State& state, const Graph& graph, F answer) {
  try {
    DeviceGraph there(graph, lanewise::gpu::Driver::system().device(0));
    answer(there);
    for (auto _ : state) {
      answer(there);
      state.SetIterationTime(there.seconds());
    }
  } catch (const lanewise::gpu::DeviceError& error) {
    state.SkipWithError(error.what());
  }
}

std::vector<uint32_t> of_edges(const Graph& graph) { return components(graph); }
void components_kronecker(benchmark::State& state) { measure(state, kronecker(state.range(0)), of_edges); }
void components_uniform(benchmark::State& state) { measure(state, uniform(state.range(0)), of_edges); }
void components_kronecker_by_neighbours(benchmark::State& state) {
  by_neighbours(state, kronecker(state.range(0)), components);
}
void components_uniform_by_neighbours(benchmark::State& state) {
  by_neighbours(state, uniform(state.range(0)), components);
}
void components_kronecker_gap(benchmark::State& state) {
  by_neighbours(state, kronecker(state.range(0)), afforest);
}
void components_uniform_gap(benchmark::State& state) {
  by_neighbours(state, uniform(state.range(0)), afforest);
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
/// The given number of rows and columns, 5 edges each.
void matching(benchmark::State& state) {
  measure(state, random_graph(state.range(0), 5 * state.range(0), 3), maximum_matching);
}
void cuda_matching(benchmark::State& state) {
  on_gpu(state, random_graph(state.range(0), 5 * state.range(0), 3),
         [](DeviceGraph& there) { there.maximum_matching(); });
}
/// Only the search, from adjacency lists.
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
/// For the given number of vertices, 16 edges each; counts relaxations.
void distances(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Graph graph = random_graph(n, 16 * n, 4);
  for (auto _ : state) benchmark::DoNotOptimize(all_distances(graph).pairs);
  state.counters["relaxations"] =
      benchmark::Counter(static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
                         benchmark::Counter::kIsIterationInvariantRate);
}

/// Only the search, with the edges sorted by their ends; from a vertex that has some.
void search(benchmark::State& state, const Graph& graph) {
  const BreadthFirstSearch there(graph);
  for (auto _ : state) benchmark::DoNotOptimize(there.from(graph.source[0]).reached);
}
void search_by_queue(benchmark::State& state, const Graph& graph) {
  const auto vertices = static_cast<uint32_t>(graph.vertices), root = static_cast<uint32_t>(graph.source[0]);
  const Neighbours targets(vertices, graph.source, graph.target);
  if (levels_by_queue(targets, vertices, root) != BreadthFirstSearch(graph).from(root).level) {
    state.SkipWithError("other levels");
  }
  for (auto _ : state) benchmark::DoNotOptimize(levels_by_queue(targets, vertices, root));
}
void search_kronecker(benchmark::State& state) { search(state, kronecker(state.range(0))); }
void search_uniform(benchmark::State& state) { search(state, uniform(state.range(0))); }
void search_kronecker_by_queue(benchmark::State& state) { search_by_queue(state, kronecker(state.range(0))); }
void search_uniform_by_queue(benchmark::State& state) { search_by_queue(state, uniform(state.range(0))); }
void cuda_search(benchmark::State& state, const Graph& graph) {
  on_gpu(state, graph, [&](DeviceGraph& there) { there.breadth_first_search(graph.source[0]); });
}
void cuda_search_kronecker(benchmark::State& state) { cuda_search(state, kronecker(state.range(0))); }
void cuda_search_uniform(benchmark::State& state) { cuda_search(state, uniform(state.range(0))); }
void cuda_search_grid(benchmark::State& state) {
  cuda_search(state, grid_graph(state.range(0), state.range(0)));
}

void list(benchmark::State& state) {
  const std::vector<int64_t> next = mixed_list(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(list_ranks(next));
}
void list_by_walking(benchmark::State& state) {
  const std::vector<int64_t> next = mixed_list(state.range(0));
  if (ranks_by_walking(next, 0) != list_ranks(next)) state.SkipWithError("other ranks");
  for (auto _ : state) benchmark::DoNotOptimize(ranks_by_walking(next, 0));
}
void tree(benchmark::State& state) {
  const std::vector<int64_t> parent = narrow_tree(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(tree_depths(parent));
}
void tree_by_levels(benchmark::State& state) {
  const std::vector<int64_t> parent = narrow_tree(state.range(0));
  if (depths_by_levels(parent, 0) != tree_depths(parent)) state.SkipWithError("other depths");
  for (auto _ : state) benchmark::DoNotOptimize(depths_by_levels(parent, 0));
}
template <class Answer>
void chains_on_gpu(benchmark::State& state, const std::vector<int64_t>& links, Answer answer) {
  try {
    DeviceChains there(lanewise::gpu::Driver::system().device(0));
    (there.*answer)(links);
    for (auto _ : state) {
      (there.*answer)(links);
      state.SetIterationTime(there.seconds());
    }
  } catch (const lanewise::gpu::DeviceError& error) {
    state.SkipWithError(error.what());
  }
}
void cuda_list(benchmark::State& state) {
  chains_on_gpu(state, mixed_list(state.range(0)), &DeviceChains::list_ranks);
}
void cuda_tree(benchmark::State& state) {
  chains_on_gpu(state, narrow_tree(state.range(0)), &DeviceChains::tree_depths);
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
BENCHMARK(components_kronecker_gap)
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
BENCHMARK(components_uniform_gap)
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
BENCHMARK(search_kronecker)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(search_kronecker_by_queue)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(search_uniform)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(search_uniform_by_queue)->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(list)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(list_by_walking)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(tree)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(tree_by_levels)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(cuda_search_kronecker)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(9)->UseManualTime();
BENCHMARK(cuda_search_uniform)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(9)->UseManualTime();
BENCHMARK(cuda_search_grid)->Arg(1'000)->Unit(benchmark::kMillisecond)->Iterations(5)->UseManualTime();
BENCHMARK(cuda_list)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->Iterations(9)->UseManualTime();
BENCHMARK(cuda_tree)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->Iterations(9)->UseManualTime();

}  // namespace
