#pragma once

#include <cstdint>
#include <vector>

#include "study/data/random.h"

namespace lanewise::cli::bench {

/// Edges between random vertices, each with a whole weight of 1 to 1,000. With `right` they lead from the
/// first `left` vertices to the `right` vertices after them.
struct RandomEdges {
  int64_t vertices;
  std::vector<int64_t> source, target;
  std::vector<double> weight;

  RandomEdges(uint64_t left, uint64_t right, uint64_t edges, uint64_t seed)
      : vertices(static_cast<int64_t>(left + right)) {
    Random random(seed);
    for (uint64_t i = 0; i < edges; ++i) {
      source.push_back(static_cast<int64_t>(random.below(left)));
      target.push_back(static_cast<int64_t>(right == 0 ? random.below(left) : left + random.below(right)));
      weight.push_back(static_cast<double>(1 + random.below(1000)));
    }
  }
};

}  // namespace lanewise::cli::bench
