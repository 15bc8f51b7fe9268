#include "graph/spanning_forest.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

struct Candidate {
  double weight;
  int64_t edge;
  bool operator<(const Candidate& other) const {
    return weight != other.weight ? weight < other.weight : edge < other.edge;
  }
};

/// Kruskal's algorithm without sorting superfluous edges: the lighter half first, then those of the
/// heavier half that still connect two trees (Osipov, Sanders, Singler: Filter-Kruskal, ALENEX 2009).
class LightestSearch {
 public:
  explicit LightestSearch(const Graph& graph) : graph_(graph), parent_(static_cast<size_t>(graph.vertices)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  std::vector<int64_t> run() {
    std::vector<Candidate> candidates;
    candidates.reserve(graph_.edges());
    for (size_t e = 0; e < graph_.edges(); ++e) {
      if (graph_.source[e] == graph_.target[e]) continue;
      candidates.push_back({graph_.weight_of(e), static_cast<int64_t>(e)});
    }
    search(candidates);
    std::sort(taken_.begin(), taken_.end());
    return std::move(taken_);
  }

 private:
  void search(std::span<Candidate> candidates) {
    const size_t few = std::max<size_t>(parent_.size(), 1'000);
    if (candidates.size() <= few) {
      parallel_sort(candidates.begin(), candidates.end(), std::less<Candidate>());
      for (const Candidate& candidate : candidates) join(candidate.edge);
      return;
    }
    // At least one edge, but not all, is at most the median of a sample.
    std::vector<Candidate> sample;
    for (size_t i = 0; i < 101; ++i) sample.push_back(candidates[i * (candidates.size() - 1) / 100]);
    std::nth_element(sample.begin(), sample.begin() + 50, sample.end());
    const Candidate pivot = sample[50];
    const auto heavy = std::partition(candidates.begin(), candidates.end(),
                                      [&](const Candidate& one) { return !(pivot < one); });
    search({candidates.begin(), heavy});
    const auto rest =
        std::partition(heavy, candidates.end(), [&](const Candidate& one) { return !joined(one.edge); });
    search({heavy, rest});
  }

  int64_t root(int64_t v) {
    while (parent_[static_cast<size_t>(v)] != v) {
      int64_t& parent = parent_[static_cast<size_t>(v)];
      parent = parent_[static_cast<size_t>(parent)];
      v = parent;
    }
    return v;
  }
  bool joined(int64_t edge) {
    const auto e = static_cast<size_t>(edge);
    return root(graph_.source[e]) == root(graph_.target[e]);
  }
  void join(int64_t edge) {
    const auto e = static_cast<size_t>(edge);
    const int64_t a = root(graph_.source[e]);
    const int64_t b = root(graph_.target[e]);
    if (a == b) return;
    parent_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    taken_.push_back(edge);
  }

  const Graph& graph_;
  std::vector<int64_t> parent_;
  std::vector<int64_t> taken_;
};

}  // namespace

SpanningForest spanning_forest(const Graph& graph) {
  SpanningForest forest;
  forest.edges = LightestSearch(graph).run();
  for (const int64_t edge : forest.edges) {
    forest.weight += graph.weight_of(static_cast<size_t>(edge));
  }
  forest.trees = graph.vertices - static_cast<int64_t>(forest.edges.size());
  return forest;
}

}  // namespace lanewise::graph
