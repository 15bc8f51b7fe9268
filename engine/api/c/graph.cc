#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "api/c/arguments.h"
#include "api/c/cancellation.h"
#include "api/c/error.h"
#include "api/c/options.h"
#include "api/device_choice.h"
#include "base/size.h"
#include "gpu/driver.h"
#include "graph/gpu/device_graph.h"
#include "graph/paths.h"
#include "primitives/parallel.h"

using namespace lanewise;  // C functions are outside of it
using lanewise::c::check_process, lanewise::c::guarded, lanewise::c::need;

struct lw_graph {
  std::mutex mutex;
  graph::Graph host;
  MemoryBudget budget{parse_size("4GB"), "raise memory_limit"};
  Reservation edges{&budget, "the edges of a graph"};
  int threads = 0;
  std::optional<graph::DeviceGraph> device;
  std::optional<graph::Distances> distances;
};

namespace {

/// Applies the options; returns the device.
DeviceChoice configure(lw_graph& graph, std::span<const lw_option> options) {
  DeviceChoice choice;
  for (const lw_option& option : options) {
    const std::string_view name = option.name, value = option.value;
    if (name == "device") {
      choice = parse_device(std::string(value));
      if (choice.offered() && !choice.only)
        throw UserError("a graph has no device 'auto': choose cpu, cuda or cuda:N");
    } else if (name == "threads") {
      graph.threads = static_cast<int>(c::parse_count(name, value, 1024));
    } else if (name == "memory_limit") {
      graph.budget.set_limit(c::parse_bytes(name, value));
    } else {
      c::refuse_option(name, "device, threads, memory_limit");
    }
  }
  return choice;
}

constexpr int64_t kMostVertices = int64_t{1} << 32;

/// Throws UserError for an end that is not a vertex, too many vertices, and a weight that is not finite.
int64_t checked_vertices(int64_t vertices, const graph::Graph& graph) {
  int64_t most = -1;
  for (const auto* ends : {&graph.source, &graph.target}) {
    if (ends->empty()) break;
    const auto [low, high] = std::ranges::minmax(*ends);
    if (low < 0) throw UserError(fmt::format("an edge has the vertex {}, which is negative", low));
    most = std::max(most, high);
  }
  if (vertices >= 0 && most >= vertices)
    throw UserError(
        fmt::format("an edge has the vertex {}, but the number of vertices is {}", most, vertices));
  if (std::max(most, vertices - 1) >= kMostVertices)
    throw UserError(fmt::format("{} is more than 2^32 vertices", std::max(most, vertices)));
  const auto infinite = std::ranges::find_if(graph.weight, [](double w) { return !std::isfinite(w); });
  if (infinite != graph.weight.end())
    throw UserError(fmt::format("the weight of edge {} is not finite", infinite - graph.weight.begin()));
  return vertices >= 0 ? vertices : most + 1;
}

/// guarded() for a call that waits for other threads' calls and runs on the graph's threads.
template <class Body>
lw_code in_graph(lw_graph* graph, lw_error* error, const Body& body) {
  return guarded(error, [&] {
    need(graph, "graph");
    check_process();
    const std::lock_guard lock(graph->mutex);
    const auto run = [&] { body(*graph); };
    graph->threads > 0 ? with_threads(graph->threads, run) : run();
  });
}

const graph::Distances& distances_of(lw_graph& graph, const lw_cancellation* cancellation) {
  if (!graph.distances) {
    const auto check = [&](double) {
      if (cancellation != nullptr) cancellation->cancellation.check();
    };
    graph.distances = graph.device ? graph.device->all_distances(&graph.budget)
                                   : graph::all_distances(graph.host, &graph.budget, nullptr, check);
  }
  return *graph.distances;
}

}  // namespace

lw_code lw_graph_open(int64_t vertices, const int64_t* source, const int64_t* target, const double* weight,
                      size_t edges, const lw_option* options, size_t count, lw_graph** out, lw_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    check_process();
    if (edges > 0) {
      need(source, "source");
      need(target, "target");
    }
    auto graph = std::make_unique<lw_graph>();
    const DeviceChoice choice = configure(*graph, {options, count});
    graph->edges.resize(edges * (2 * sizeof(int64_t) + (weight != nullptr ? sizeof(double) : 0)));
    graph->host.source.assign(source, source + edges);
    graph->host.target.assign(target, target + edges);
    if (weight != nullptr) graph->host.weight.assign(weight, weight + edges);
    graph->host.vertices = checked_vertices(vertices, graph->host);
    Reservation(&graph->budget, "a number for each vertex")
        .resize(static_cast<size_t>(graph->host.vertices) * sizeof(int64_t));
    if (choice.offered()) graph->device.emplace(graph->host, gpu::Driver::system().device(choice.place.gpu));
    *out = graph.release();
  });
}

void lw_graph_close(lw_graph* graph) { delete graph; }
int64_t lw_graph_vertices(const lw_graph* graph) { return graph->host.vertices; }
int64_t lw_graph_edges(const lw_graph* graph) { return static_cast<int64_t>(graph->host.edges()); }

lw_code lw_graph_components(lw_graph* graph, int64_t* label, lw_error* error) {
  return in_graph(graph, error, [&](lw_graph& own) {
    need(label, "label");
    std::ranges::copy(own.device ? own.device->components() : graph::components(own.host), label);
  });
}

lw_code lw_graph_spanning_forest(lw_graph* graph, int64_t* edges, int64_t* count, lw_error* error) {
  return in_graph(graph, error, [&](lw_graph& own) {
    need(edges, "edges");
    need(count, "count");
    const auto forest = own.device ? own.device->spanning_forest() : graph::spanning_forest(own.host);
    std::ranges::copy(forest.edges, edges);
    *count = static_cast<int64_t>(forest.edges.size());
  });
}

lw_code lw_graph_matching(lw_graph* graph, int64_t* target, lw_error* error) {
  return in_graph(graph, error, [&](lw_graph& own) {
    need(target, "target");
    const auto found = own.device ? own.device->maximum_matching() : graph::maximum_matching(own.host);
    std::ranges::copy(found.column, target);
  });
}

lw_code lw_graph_levels(lw_graph* graph, int64_t root, int64_t* level, lw_error* error) {
  return in_graph(graph, error, [&](lw_graph& own) {
    need(level, "level");
    graph::check_search(own.host.vertices, root);
    const auto found =
        own.device ? own.device->breadth_first_search(root) : graph::breadth_first_search(own.host, root);
    std::ranges::copy(found.level, level);
  });
}

lw_code lw_graph_distances(lw_graph* graph, double* matrix, lw_cancellation* cancellation, lw_error* error) {
  return in_graph(graph, error, [&](lw_graph& own) {
    need(matrix, "matrix");
    const graph::Distances& found = distances_of(own, cancellation);
    for (int64_t from = 0; from < own.host.vertices; ++from)
      for (int64_t to = 0; to < own.host.vertices; ++to) *matrix++ = found.at(from, to);
  });
}

lw_code lw_graph_path(lw_graph* graph, int64_t from, int64_t to, int64_t* path, int64_t* count,
                      lw_cancellation* cancellation, lw_error* error) {
  return in_graph(graph, error, [&](lw_graph& own) {
    need(path, "path");
    need(count, "count");
    for (const int64_t end : {from, to})
      if (end < 0 || end >= own.host.vertices)
        throw UserError(fmt::format("there is no vertex {}; there are {}", end, own.host.vertices));
    const auto found = graph::shortest_path(own.host, distances_of(own, cancellation), from, to);
    *count = found ? static_cast<int64_t>(found->size()) : 0;
    if (found) std::ranges::copy(*found, path);
  });
}
