#pragma once

#include <cmath>

#include "base/random.h"
#include "graph/graph.h"

namespace lanewise::graph {

/// Sizes near those of parts and tiles; no, few or many edges; small weights, so that many are
/// equal; `negative` ones without negative cycles.
inline Graph random_test_graph(uint64_t seed, bool negative = false) {
  static constexpr int64_t kSizes[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 130};
  Random random(seed);
  const int64_t n = kSizes[random.below(11)];
  Graph graph = random_graph(n, static_cast<int64_t>(random.below(static_cast<uint64_t>(3 * n + 1))), seed);
  if (random.below(4) == 0) graph.weight.clear();
  std::vector<double> height;  // a potential: added to edges that leave, subtracted from those that enter
  for (int64_t v = 0; v < n; ++v) height.push_back(static_cast<double>(random.below(100)));
  const double unit = random.below(3) == 0 ? 0.25 : 1;
  for (size_t e = 0; e < graph.weight.size(); ++e) {
    graph.weight[e] = std::fmod(graph.weight[e], 10) * unit;
    if (negative) {
      graph.weight[e] +=
          height[static_cast<size_t>(graph.source[e])] - height[static_cast<size_t>(graph.target[e])];
    }
  }
  return graph;
}

}  // namespace lanewise::graph
