#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace lanewise::graph {

/// One linked list of all elements in random order; its head is 0.
inline std::vector<int64_t> mixed_list(int64_t n) {
  Random random(1);
  std::vector<int64_t> order(static_cast<size_t>(n)), next(order.size(), -1);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 2; --i) std::swap(order[i - 1], order[1 + random.below(i - 1)]);
  for (size_t i = 1; i < order.size(); ++i) next[static_cast<size_t>(order[i - 1])] = order[i];
  return next;
}

/// The parent of each vertex is one of the 100 before it; the root is 0.
inline std::vector<int64_t> narrow_tree(int64_t n) {
  Random random(1);
  std::vector<int64_t> parent(static_cast<size_t>(n));
  for (int64_t v = 1; v < n; ++v) {
    const auto near = static_cast<uint64_t>(std::min<int64_t>(v, 100));
    parent[static_cast<size_t>(v)] = v - 1 - static_cast<int64_t>(random.below(near));
  }
  return parent;
}

}  // namespace lanewise::graph
