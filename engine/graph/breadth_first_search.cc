#include "graph/breadth_first_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <span>

#include "base/error.h"
#include "graph/kernels/memory-inl.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr int32_t kNoWay = -1;
constexpr size_t kFrontierPart = 256, kVertexPart = 1 << 14;  // that a thread takes at once

/// The vertices of a level, and how many edges leave them.
struct Frontier {
  std::vector<uint32_t> vertices;
  uint64_t edges = 0;
};

class LevelSearch {
 public:
  LevelSearch(const Neighbours& targets, const Neighbours& sources, std::vector<int32_t>& level)
      : targets_(targets), sources_(sources), level_(level) {}

  /// Those that have an edge from `frontier`, of level `here`, and no level yet.
  Frontier follow(const Frontier& frontier, int32_t here) {
    return collect(frontier.vertices.size(), kFrontierPart, [&](size_t i, auto found) {
      for (const uint32_t target : targets_.of(frontier.vertices[i])) {
        if (load(&level_[target]) == kNoWay && swap_if(&level_[target], kNoWay, here + 1)) found(target);
      }
    });
  }
  /// The same, from the side of those that have no level yet.
  Frontier ask(int32_t here) {
    return collect(level_.size(), kVertexPart, [&](size_t v, auto found) {
      if (load(&level_[v]) != kNoWay) return;
      const auto sources = sources_.of(static_cast<uint32_t>(v));
      if (std::any_of(sources.begin(), sources.end(), [&](uint32_t s) { return load(&level_[s]) == here; })) {
        store(&level_[v], here + 1);
        found(static_cast<uint32_t>(v));
      }
    });
  }

 private:
  /// Calls each(i, found) for all i below `count`; what it calls found(vertex) with is the next frontier.
  template <class Each>
  Frontier collect(size_t count, size_t together, Each each) {
    Frontier all;
    std::mutex mutex;
    parallel_for((count + together - 1) / together, [&](size_t part) {
      Frontier own;
      const auto found = [&](uint32_t vertex) {
        own.vertices.push_back(vertex);
        own.edges += targets_.of(vertex).size();
      };
      for (size_t i = part * together; i < std::min(count, (part + 1) * together); ++i) each(i, found);
      const std::lock_guard lock(mutex);
      all.vertices.insert(all.vertices.end(), own.vertices.begin(), own.vertices.end());
      all.edges += own.edges;
    });
    return all;
  }

  const Neighbours& targets_;
  const Neighbours& sources_;
  std::vector<int32_t>& level_;
};

}  // namespace

void check_search(int64_t vertices, int64_t root) {
  if (vertices >= int64_t{1} << 31)
    throw UserError("breadth-first search of 2^31 vertices or more is not supported");
  if (root < 0 || root >= vertices) {
    throw UserError(fmt::format("the root is vertex {}, but the graph has {} vertices", root, vertices));
  }
}

Levels count_levels(std::vector<int32_t> level) {
  Levels levels{std::move(level), 0, 0};
  for (const int32_t each : levels.level) {
    levels.reached += each == kNoWay ? 0 : 1;
    levels.levels = std::max<int64_t>(levels.levels, each + 1);
  }
  return levels;
}

BreadthFirstSearch::BreadthFirstSearch(const Graph& graph, Use use)
    : vertices_(static_cast<uint32_t>(graph.vertices)), both_ways_(use == Use::kOften) {
  if (graph.vertices != 0) check_search(graph.vertices, 0);
  targets_ = Neighbours(vertices_, graph.source, graph.target);
  if (both_ways_) sources_ = Neighbours(vertices_, graph.target, graph.source);
}

Levels BreadthFirstSearch::from(int64_t root) const {
  // Beamer's: bottom-up steps pay when the frontier has so large a part of the edges not followed yet, until
  // so few of all vertices are found.
  constexpr uint64_t kEdges = 14, kVertices = 24;
  check_search(vertices_, root);
  std::vector<int32_t> level(vertices_, kNoWay);
  LevelSearch search(targets_, sources_, level);
  level[static_cast<size_t>(root)] = 0;
  Frontier frontier{{static_cast<uint32_t>(root)}, targets_.of(static_cast<uint32_t>(root)).size()};
  uint64_t left = targets_.all().size();
  bool asks = false;
  for (int32_t here = 0; !frontier.vertices.empty(); ++here) {
    asks = both_ways_ &&
           (asks ? frontier.vertices.size() > vertices_ / kVertices : frontier.edges > left / kEdges);
    left -= frontier.edges;
    frontier = asks ? search.ask(here) : search.follow(frontier, here);
  }
  return count_levels(std::move(level));
}

}  // namespace lanewise::graph
