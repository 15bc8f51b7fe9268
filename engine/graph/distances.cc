#include "graph/distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr size_t kTile = 64;
/// Twice this value fits. Sums of paths stay far below it; values above half of it are not paths, whatever
/// negative weights have subtracted.
constexpr int32_t kNoPath = 1'000'000'000;

/// Bellman and Ford from all vertices at once: it takes as many rounds as there are vertices only if there is
/// a negative cycle.
void refuse_negative_cycle(const Graph& graph) {
  if (std::none_of(graph.weight.begin(), graph.weight.end(), [](double weight) { return weight < 0; }))
    return;
  std::vector<double> distance(static_cast<size_t>(graph.vertices));
  int64_t changed = -1;
  for (int64_t round = 0; round <= graph.vertices; ++round) {
    changed = -1;
    for (size_t e = 0; e < graph.edges(); ++e) {
      const double reached = distance[static_cast<size_t>(graph.source[e])] + graph.weight[e];
      double& known = distance[static_cast<size_t>(graph.target[e])];
      if (reached >= known) continue;
      known = reached;
      changed = graph.target[e];
    }
    if (changed < 0) return;
  }
  // From the vertex that changed last, the edges lead back to a cycle.
  const auto vertex = static_cast<size_t>(changed);
  throw UserError(fmt::format("there is no shortest path: a negative cycle leads to vertex {}",
                              graph.labels.empty() ? changed : graph.labels[vertex]));
}

/// Floyd and Warshall's algorithm by tiles.
template <class T>
class DistanceSearch {
 public:
  DistanceSearch(T* matrix, size_t stride) : matrix_(matrix), stride_(stride) {}

  void run(const std::function<void(double)>& report) {
    const size_t tiles = stride_ / kTile;
    for (size_t k = 0; k < tiles; ++k) {
      if (report) report(static_cast<double>(k) / static_cast<double>(tiles));
      relax(k, k, k);
      parallel_for(2 * tiles, [&](size_t i) {
        if (i / 2 == k) return;
        if (i % 2 == 0) {
          relax(k, i / 2, k);
        } else {
          relax(i / 2, k, k);
        }
      });
      parallel_for(tiles, [&](size_t row) {
        for (size_t column = 0; column < tiles && row != k; ++column) {
          if (column != k) relax(row, column, k);
        }
      });
    }
  }

 private:
  /// Paths within tile (row, column) over the vertices of tile k.
  void relax(size_t row, size_t column, size_t k) {
    for (size_t middle = k * kTile; middle < (k + 1) * kTile; ++middle) {
      const T* const from = matrix_ + middle * stride_ + column * kTile;
      for (size_t i = row * kTile; i < (row + 1) * kTile; ++i) {
        T* const to = matrix_ + i * stride_ + column * kTile;
        const T first = matrix_[i * stride_ + middle];
        if (i == middle) continue;
        for (size_t j = 0; j < kTile; ++j) to[j] = std::min(to[j], static_cast<T>(first + from[j]));
      }
    }
  }

  T* matrix_;
  size_t stride_;
};

/// On all threads of this machine.
class OnThreads final : public PathFinder {
 public:
  explicit OnThreads(const std::function<void(double)>& report) : report_(report) {}
  size_t tile() const override { return kTile; }
  void close(int32_t* matrix, size_t stride) override {
    DistanceSearch<int32_t>(matrix, stride).run(report_);
  }
  void close(double* matrix, size_t stride) override { DistanceSearch<double>(matrix, stride).run(report_); }

 private:
  const std::function<void(double)>& report_;
};

template <class T>
void fill(const Graph& graph, T none, size_t stride, std::vector<T>& matrix) {
  matrix.assign(stride * stride, none);
  for (size_t e = 0; e < graph.edges(); ++e) {
    T& cell = matrix[static_cast<size_t>(graph.source[e]) * stride + static_cast<size_t>(graph.target[e])];
    cell = std::min(cell, static_cast<T>(graph.weight_of(e)));
  }
  for (size_t v = 0; v < stride; ++v) matrix[v * stride + v] = 0;
}

/// Whether all paths, each vertex once, are far below kNoPath.
bool fits_int32(const Graph& graph) {
  double most = 1;
  for (const double weight : graph.weight) most = std::max(most, std::fabs(weight));
  return graph.whole_weights() &&
         most * static_cast<double>(std::max<int64_t>(graph.vertices, 1)) < kNoPath / 4.0;
}

}  // namespace

double Distances::at(int64_t from, int64_t to) const {
  const size_t place = static_cast<size_t>(from) * stride_ + static_cast<size_t>(to);
  if (whole_.empty()) return real_[place];
  return whole_[place] >= kNoPath / 2 ? std::numeric_limits<double>::infinity() : whole_[place];
}

Distances all_distances(const Graph& graph, MemoryBudget* budget, PathFinder* finder,
                        const std::function<void(double)>& report) {
  OnThreads threads(report);
  if (finder == nullptr) finder = &threads;
  refuse_negative_cycle(graph);
  Distances found;
  const auto vertices = static_cast<size_t>(graph.vertices);
  const bool whole = fits_int32(graph);
  found.vertices = graph.vertices;
  found.stride_ = (vertices + finder->tile() - 1) / finder->tile() * finder->tile();
  found.held_ = Reservation(budget, "the distances between all vertices");
  size_t bytes = 0;
  if (__builtin_mul_overflow(found.stride_, found.stride_, &bytes) ||
      __builtin_mul_overflow(bytes, whole ? sizeof(int32_t) : sizeof(double), &bytes)) {
    throw MemoryError(fmt::format("the distances between {} vertices do not fit any memory", vertices));
  }
  found.held_.resize(bytes);
  if (whole) {
    fill(graph, kNoPath, found.stride_, found.whole_);
    finder->close(found.whole_.data(), found.stride_);
  } else {
    fill(graph, std::numeric_limits<double>::infinity(), found.stride_, found.real_);
    finder->close(found.real_.data(), found.stride_);
  }
  for (int64_t from = 0; from < found.vertices; ++from) {
    for (int64_t to = 0; to < found.vertices; ++to) {
      const double distance = found.at(from, to);
      if (!std::isfinite(distance)) continue;
      ++found.pairs;
      found.sum += distance;
    }
  }
  return found;
}

}  // namespace lanewise::graph
