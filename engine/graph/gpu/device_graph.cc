#include "graph/gpu/device_graph.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "base/error.h"
#include "graph/kernels/search-inl.h"

namespace lanewise::graph {

DeviceGraph::DeviceGraph(const Graph& graph, gpu::Device& gpu, Steps::Where where)
    : graph_(graph), steps_(gpu, where) {
  constexpr u64 kMost = (u64{1} << 32) - 2;
  if (static_cast<u64>(graph.vertices) > kMost || graph.edges() > kMost) {
    throw UserError("graphs of 2^32 - 1 vertices or edges, or more, are not supported on GPUs");
  }
}

const DeviceArray<Edge>& DeviceGraph::edges() {
  if (edges_.size() == graph_.edges()) return edges_;
  std::vector<Edge> pairs(graph_.edges());
  for (size_t e = 0; e < pairs.size(); ++e) {
    pairs[e] = {static_cast<u32>(graph_.source[e]), static_cast<u32>(graph_.target[e])};
  }
  return edges_ = steps_.upload<Edge>(pairs);
}

DeviceArray<u32> DeviceGraph::alone() {
  auto parent = steps_.allocate<u32>(vertices());
  steps_.run(Alone{parent.data()}, vertices());
  return parent;
}

/// A sample of the edges joins most vertices of the same component; after that most edges need two reads.
std::vector<uint32_t> DeviceGraph::components() {
  const DeviceArray<Edge>& edges = this->edges();
  steps_.start_clock();
  const DeviceArray<u32> parent = alone();
  for (const u32 every : {64U, 16U}) {
    const size_t runs = edges.size() / JoinSome::kRun / every;
    steps_.run(JoinSome{edges.data(), parent.data(), every}, runs * JoinSome::kRun);
    steps_.run(Flatten{parent.data()}, vertices());
  }
  steps_.run(Join{edges.data(), parent.data()}, edges.size());
  steps_.run(Flatten{parent.data()}, vertices());
  seconds_ = steps_.seconds();
  std::vector<uint32_t> label(vertices());
  steps_.download<u32>(label, parent);
  return label;
}

/// The weight, in order, below which there are about four edges for each vertex.
u64 DeviceGraph::light_weight() const {
  constexpr size_t kSample = 1'024;
  if (graph_.edges() <= 8 * vertices() || graph_.weight.empty()) return kNoWeight;
  std::vector<u64> sample;
  for (size_t i = 0; i < kSample; ++i) {
    u64 bits = 0;
    std::memcpy(&bits, &graph_.weight[graph_.edges() / kSample * i], sizeof bits);
    sample.push_back(ordered(bits));
  }
  const auto place = sample.begin() + static_cast<std::ptrdiff_t>(kSample * 4 * vertices() / graph_.edges());
  std::nth_element(sample.begin(), place, sample.end());
  return *place;
}

/// First the light edges join most vertices, so that most of the rest is never a candidate (as
/// Filter-Kruskal).
SpanningForest DeviceGraph::spanning_forest() {
  const DeviceArray<Edge>& edges = this->edges();
  if (weights_.size() != graph_.weight.size()) {
    std::vector<u64> bits(graph_.weight.size());
    std::memcpy(bits.data(), graph_.weight.data(), bits.size() * sizeof(u64));
    weights_ = steps_.upload<u64>(bits);
  }
  auto from = steps_.allocate<Candidate>(edges.size());
  auto kept = steps_.allocate<Candidate>(edges.size());
  const auto weight = steps_.allocate<u64>(vertices());
  const auto number = steps_.allocate<u32>(vertices());
  const auto taken = steps_.allocate<u32>(vertices());
  const auto count = steps_.allocate<u32>(1), taken_count = steps_.allocate<u32>(1);
  const Best best{weight.data(), number.data()};
  const u64 light = light_weight();

  steps_.start_clock();
  const DeviceArray<u32> parent = alone();
  steps_.fill(taken_count, 0);
  steps_.run(NextRound{parent.data(), best}, vertices());
  const auto join = [&](u64 above, u64 most) {
    steps_.fill(count, 0);
    steps_.run(Choose{edges.data(), weights_.size() == 0 ? nullptr : weights_.data(), parent.data(), above,
                      most, from.data(), count.data()},
               edges.size());
    for (u32 left = steps_.read(count); left != 0; left = steps_.read(count)) {
      steps_.fill(count, 0);
      steps_.run(OfferWeight{from.data(), parent.data(), best, kept.data(), count.data()}, left);
      steps_.run(OfferEdge{kept.data(), count.data(), best}, left);
      steps_.run(JoinTrees{kept.data(), count.data(), best, parent.data(), taken.data(), taken_count.data()},
                 left);
      steps_.run(NextRound{parent.data(), best}, vertices());
      std::swap(from, kept);
    }
  };
  join(0, light);
  if (light != kNoWeight) join(light, kNoWeight);
  seconds_ = steps_.seconds();

  std::vector<u32> found(steps_.read(taken_count));
  steps_.download<u32>(found, taken);
  SpanningForest forest;
  forest.edges.assign(found.begin(), found.end());
  parallel_sort(forest.edges.begin(), forest.edges.end(), std::less<>());
  for (const int64_t edge : forest.edges) {
    forest.weight += graph_.weight_of(static_cast<size_t>(edge));
  }
  forest.trees = graph_.vertices - static_cast<int64_t>(forest.edges.size());
  return forest;
}

void DeviceGraph::sort_by_source() {
  if (columns_at_.size() != 0) return;
  const Neighbours columns(vertices(), graph_.source, graph_.target);
  columns_at_ = steps_.upload(columns.offsets());
  columns_ = steps_.upload(columns.all());
}

Matching DeviceGraph::maximum_matching() {
  sort_by_source();
  const auto array = [&] { return steps_.allocate<u32>(vertices()); };
  const DeviceArray<u32> column_of = array(), row_of = array(), root = array(), from = array(),
                         goal = array();
  DeviceArray<u32> growing = array(), next = array();
  const auto count = steps_.allocate<u32>(1), goals = steps_.allocate<u32>(1);
  const Pairs pairs{columns_at_.data(), columns_.data(), column_of.data(), row_of.data()};
  const Trees trees{root.data(), from.data(), goal.data()};

  steps_.start_clock();
  steps_.fill(column_of, 0xff);
  steps_.fill(row_of, 0xff);
  for (const u32 most : {1U, 2U, 3U, kNobody}) steps_.run(TakeFree{pairs, most}, vertices());
  for (;;) {
    steps_.fill(goals, 0);
    steps_.fill(count, 0);
    steps_.run(Plant{pairs, trees, growing.data(), count.data()}, vertices());
    for (u32 rows = steps_.read(count); rows != 0; rows = steps_.read(count)) {
      steps_.fill(count, 0);
      steps_.run(Grow{pairs, trees, growing.data(), next.data(), count.data(), goals.data()}, rows);
      std::swap(growing, next);
    }
    if (steps_.read(goals) == 0) break;
    steps_.run(Turn{pairs, trees}, vertices());
  }
  seconds_ = steps_.seconds();

  std::vector<u32> mates(vertices()), roots(vertices()), reached(vertices());
  steps_.download<u32>(mates, column_of);
  steps_.download<u32>(roots, root);
  steps_.download<u32>(reached, from);
  Matching matching;
  for (size_t v = 0; v < vertices(); ++v) {
    matching.column.push_back(mates[v] == kNobody ? -1 : int64_t{mates[v]});
    matching.size += mates[v] == kNobody ? 0 : 1;
    // König: rows that no tree has reached, and columns that one has.
    if (mates[v] != kNobody && roots[v] == kNobody) matching.cover_rows.push_back(static_cast<int64_t>(v));
    if (reached[v] != kNobody) matching.cover_columns.push_back(static_cast<int64_t>(v));
  }
  return matching;
}

/// If a level has many vertices, unreached vertices find them; if few, their own edges are followed. The host
/// reads the progress only after several levels.
Levels DeviceGraph::breadth_first_search(int64_t root) {
  check_search(graph_.vertices, root);
  sort_by_source();
  if (rows_at_.size() == 0) {
    const Neighbours rows(vertices(), graph_.target, graph_.source);
    rows_at_ = steps_.upload(rows.offsets());
    rows_ = steps_.upload(rows.all());
  }
  constexpr u32 kMany = 32;     // one of this many vertices
  constexpr u32 kTogether = 8;  // levels before the host reads whether there are more
  const Links targets{columns_at_.data(), columns_.data()}, sources{rows_at_.data(), rows_.data()};
  const auto level = steps_.allocate<u32>(vertices()), counts = steps_.allocate<u32>(3);
  auto here = steps_.allocate<u32>(vertices()), next = steps_.allocate<u32>(vertices());
  const auto size = static_cast<u32>(vertices()), items = static_cast<u32>(steps_.at_once());
  const auto shift = std::min<u64>(std::bit_width(graph_.edges() / vertices() / 4), 5);

  steps_.start_clock();
  steps_.fill(level, 0xff);
  steps_.run(Root{level.data(), here.data(), counts.data(), static_cast<u32>(root)}, 1);
  u32 depth = 0;
  do {
    for (u32 i = 0; i < kTogether; ++i, ++depth) {
      steps_.run(Advance{targets, sources, level.data(), here.data(), next.data(), counts.data(), depth, size,
                         items, size / kMany, static_cast<u32>(shift)},
                 items);
      std::swap(here, next);
    }
  } while (steps_.read_all(counts)[depth % 3] != 0);
  seconds_ = steps_.seconds();

  std::vector<int32_t> levels(vertices());
  static_assert(static_cast<int32_t>(kNobody) == -1);
  steps_.download(std::span<u32>(reinterpret_cast<u32*>(levels.data()), levels.size()), level);
  return count_levels(std::move(levels));
}

template <class T>
void DeviceGraph::find_paths(T* matrix, size_t stride) {
  const std::span<T> cells(matrix, stride * stride);
  const DeviceArray<T> there = steps_.upload<T>(cells);
  const Matrix<T> tiles{there.data(), stride};
  const size_t side = stride / kTileSide;
  steps_.start_clock();
  for (u32 k = 0; k < side; ++k) {
    steps_.run_blocks(Corner<T>{tiles, k}, 1);
    steps_.run_blocks(Cross<T>{tiles, k}, 2 * side);
    steps_.run_blocks(Others<T>{tiles, k}, side * side);
  }
  seconds_ = steps_.seconds();
  steps_.download(cells, there);
}

}  // namespace lanewise::graph
