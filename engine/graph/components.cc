#include "graph/components.h"

#include <algorithm>
#include <atomic>

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
      for (size_t v = begin; v < end; ++v) parent_[v] = static_cast<int64_t>(v);
    });
  }

  int64_t parent(int64_t v) const { return at(v).load(std::memory_order_relaxed); }

  void link(int64_t a, int64_t b) {
    a = parent(a);
    b = parent(b);
    while (a != b) {
      const int64_t high = std::max(a, b);
      const int64_t low = std::min(a, b);
      int64_t above = parent(high);
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
        int64_t root = parent(static_cast<int64_t>(v));
        while (parent(root) != root) root = parent(root);
        at(static_cast<int64_t>(v)).store(root, std::memory_order_relaxed);
      }
    });
  }

  std::vector<int64_t> take() { return std::move(parent_); }

 private:
  std::atomic_ref<int64_t> at(int64_t v) const {
    return std::atomic_ref<int64_t>(const_cast<int64_t&>(parent_[static_cast<size_t>(v)]));
  }

  std::vector<int64_t> parent_;
};

}  // namespace

/// A sample of the edges joins most of what belongs together; after that most edges need two reads.
std::vector<int64_t> components(const Graph& graph) {
  constexpr size_t kSample = 16;  // every so many edges
  Forest forest(static_cast<size_t>(graph.vertices));
  const int64_t* const source = graph.source.data();
  const int64_t* const target = graph.target.data();
  in_parts(graph.edges() / kSample, [&](size_t begin, size_t end) {
    for (size_t e = begin; e < end; ++e) forest.link(source[e * kSample], target[e * kSample]);
  });
  forest.flatten();
  in_parts(graph.edges(), [&](size_t begin, size_t end) {
    for (size_t e = begin; e < end; ++e) {
      if (forest.parent(source[e]) != forest.parent(target[e])) forest.link(source[e], target[e]);
    }
  });
  forest.flatten();
  return forest.take();
}

int64_t count_components(const std::vector<int64_t>& label) {
  int64_t count = 0;
  for (size_t v = 0; v < label.size(); ++v) count += label[v] == static_cast<int64_t>(v) ? 1 : 0;
  return count;
}

}  // namespace lanewise::graph
