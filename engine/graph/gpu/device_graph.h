#pragma once

#include "graph/breadth_first_search.h"
#include "graph/components.h"
#include "graph/distances.h"
#include "graph/gpu/steps.h"
#include "graph/kernels/distances-inl.h"
#include "graph/kernels/matching-inl.h"
#include "graph/kernels/spanning_forest-inl.h"
#include "graph/matching.h"
#include "graph/neighbours.h"
#include "graph/spanning_forest.h"

namespace lanewise::graph {

/// A graph whose edges are in GPU memory, and the algorithms of this folder there: the same results,
/// except that another maximum matching may be chosen. Fewer than 2^32 - 1 vertices and edges; UserError for
/// more.
class DeviceGraph final : private PathFinder {
 public:
  /// `graph` must outlive it. Throws DeviceError, MemoryError.
  DeviceGraph(const Graph& graph, gpu::Device& gpu, Steps::Where where = Steps::Where::kGpu);

  std::vector<uint32_t> components();
  SpanningForest spanning_forest();
  Matching maximum_matching();
  Levels breadth_first_search(int64_t root);
  Distances all_distances(MemoryBudget* budget = nullptr) {
    return graph::all_distances(graph_, budget, this);
  }

  /// Device time of the last result: all steps and the host's decisions between them, without copies of the
  /// graph and of the result.
  double seconds() const { return seconds_; }

 private:
  size_t vertices() const { return static_cast<size_t>(graph_.vertices); }
  const DeviceArray<Edge>& edges();
  void sort_by_source();
  DeviceArray<u32> alone();
  u64 light_weight() const;

  size_t tile() const override { return kTileSide; }
  void close(int32_t* matrix, size_t stride) override { find_paths(matrix, stride); }
  void close(double* matrix, size_t stride) override { find_paths(matrix, stride); }
  template <class T>
  void find_paths(T* matrix, size_t stride);

  const Graph& graph_;
  Steps steps_;
  DeviceArray<Edge> edges_;      // copied on first use
  DeviceArray<u64> weights_;     // bits of doubles
  DeviceArray<u64> columns_at_;  // start of each row in columns_
  DeviceArray<u32> columns_;
  DeviceArray<u64> rows_at_;  // the transposed arrays
  DeviceArray<u32> rows_;
  double seconds_ = 0;
};

}  // namespace lanewise::graph
