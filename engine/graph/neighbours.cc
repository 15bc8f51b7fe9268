#include "graph/neighbours.h"

#include <utility>

namespace lanewise::graph {

Neighbours::Neighbours(size_t vertices, const std::vector<int64_t>& of, const std::vector<int64_t>& to)
    : offset_(vertices + 1), end_(to.size()) {
  for (const int64_t v : of) ++offset_[static_cast<size_t>(v)];
  uint64_t before = 0;
  for (uint64_t& at : offset_) before += std::exchange(at, before);
  for (size_t e = 0; e < to.size(); ++e) {
    end_[offset_[static_cast<size_t>(of[e])]++] = static_cast<uint32_t>(to[e]);
  }
  for (size_t v = vertices; v > 0; --v) offset_[v] = offset_[v - 1];  // where the one before it ended
  offset_[0] = 0;
}

}  // namespace lanewise::graph
