#include "graph/components.h"

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr size_t kPart = 1 << 14;  // edges or vertices that a thread takes at once

/// f(begin, end) for parts of 0 to size, on all threads.
template <class F>
void in_parts(size_t size, F f) {
  parallel_for((size + kPart - 1) / kPart,
               [&](size_t part) { f(part * kPart, std::min(size, (part + 1) * kPart)); });
}

/// A forest of vertices, each below a lesser one; trees of one component are joined by many threads.
class Forest {
 public:
  explicit Forest(size_t vertices) : parent_(vertices) {
    in_parts(vertices, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) parent_[v] = static_cast<uint32_t>(v);
    });
  }

  uint32_t parent(size_t v) const { return at(v).load(std::memory_order_relaxed); }

  void link(size_t first, size_t second) {
    uint32_t a = parent(first);
    uint32_t b = parent(second);
    while (a != b) {
      const uint32_t high = std::max(a, b);
      const uint32_t low = std::min(a, b);
      uint32_t above = parent(high);
      if (above == low) return;
      // Only a root is hung below another one.
      if (above == high && at(high).compare_exchange_strong(above, low, std::memory_order_relaxed)) return;
      a = parent(parent(high));
      b = parent(low);
    }
  }

  /// Hangs every vertex below its root.
  void flatten() {
    in_parts(parent_.size(), [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        uint32_t root = parent(v);
        while (parent(root) != root) root = parent(root);
        at(v).store(root, std::memory_order_relaxed);
      }
    });
  }

  std::vector<uint32_t> take() { return std::move(parent_); }

 private:
  std::atomic_ref<uint32_t> at(size_t v) const {
    return std::atomic_ref<uint32_t>(const_cast<uint32_t&>(parent_[v]));
  }

  std::vector<uint32_t> parent_;
};

}  // namespace

/// A sample of the edges joins most of what belongs together; after that most edges need two reads.
std::vector<uint32_t> components(const Graph& graph) {
  constexpr size_t kSample = 16;  // every so many edges
  if (graph.vertices > int64_t{1} << 32) throw UserError("a graph of more than 2^32 vertices has no labels");
  Forest forest(static_cast<size_t>(graph.vertices));
  const auto source = [&](size_t e) { return static_cast<size_t>(graph.source[e]); };
  const auto target = [&](size_t e) { return static_cast<size_t>(graph.target[e]); };
  in_parts(graph.edges() / kSample, [&](size_t begin, size_t end) {
    for (size_t e = begin; e < end; ++e) forest.link(source(e * kSample), target(e * kSample));
  });
  forest.flatten();
  in_parts(graph.edges(), [&](size_t begin, size_t end) {
    for (size_t e = begin; e < end; ++e) {
      if (forest.parent(source(e)) != forest.parent(target(e))) forest.link(source(e), target(e));
    }
  });
  forest.flatten();
  return forest.take();
}

int64_t count_components(const std::vector<uint32_t>& label) {
  int64_t count = 0;
  for (size_t v = 0; v < label.size(); ++v) count += label[v] == v ? 1 : 0;
  return count;
}

}  // namespace lanewise::graph
