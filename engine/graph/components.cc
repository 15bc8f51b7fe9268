#include "graph/components.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "graph/device/forest-inl.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr size_t kPart = 1 << 14;  // edges or vertices that a thread takes at once
constexpr size_t kRun = 256;       // neighbouring edges that are sampled together
constexpr size_t kAhead = 16;      // edges whose parents are fetched before they are needed

/// f(begin, end) for parts of 0 to size, on all threads.
template <class F>
void in_parts(size_t size, F f) {
  parallel_for((size + kPart - 1) / kPart,
               [&](size_t part) { f(part * kPart, std::min(size, (part + 1) * kPart)); });
}

/// Afforest (Sutton, Ben-Nun, Barak, IPDPS 2018) on edges in any order: samples of them join most of what
/// belongs together; edges within the largest component so far are then passed by. Which vertices are inside
/// of it is a byte of each: these stay in the cache, labels would not, and bits take more instructions.
class Search {
 public:
  explicit Search(const Graph& graph)
      : graph_(graph), parent_(static_cast<size_t>(graph.vertices)), inside_(parent_.size()) {
    in_parts(parent_.size(), [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) parent_[v] = static_cast<u32>(v);
    });
  }

  std::vector<uint32_t> run() {
    for (const size_t every : {128, 16}) {
      const size_t runs = graph_.edges() / kRun / every;
      in_parts(runs * kRun, [&](size_t begin, size_t end) {
        for (size_t at = begin; at < end; at += kRun) {
          const size_t run = (at / kRun * every + every / 2) * kRun;
          join(run, run + kRun);
        }
      });
      flatten();
    }
    in_parts(graph_.edges(), [&](size_t begin, size_t end) { join(begin, end); });
    flatten();
    return std::move(parent_);
  }

 private:
  /// Joins what the edges begin to end, at most kPart, join; within the largest component nothing is to do.
  void join(size_t begin, size_t end) {
    static_assert(kPart <= 1 << 16);
    std::array<uint16_t, kPart> outside;
    const int64_t* const source = graph_.source.data() + begin;
    const int64_t* const target = graph_.target.data() + begin;
    size_t count = 0;
    for (size_t e = 0; e < end - begin; ++e) {
      outside[count] = static_cast<uint16_t>(e);
      count += 1 ^ (load(&inside_[static_cast<size_t>(source[e])]) &
                    load(&inside_[static_cast<size_t>(target[e])]));
    }
    const auto fetch = [&](size_t i) {
      __builtin_prefetch(&parent_[static_cast<size_t>(source[outside[i]])]);
      __builtin_prefetch(&parent_[static_cast<size_t>(target[outside[i]])]);
    };
    for (size_t i = 0; i < std::min(kAhead, count); ++i) fetch(i);
    for (size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) fetch(i + kAhead);
      const auto a = static_cast<u32>(source[outside[i]]);
      const auto b = static_cast<u32>(target[outside[i]]);
      link(parent_.data(), a, b);
      if ((load(&inside_[a]) | load(&inside_[b])) == 0) continue;
      store(&inside_[a], uint8_t{1});
      store(&inside_[b], uint8_t{1});
    }
  }

  /// Hangs every vertex below its root, and notes which are in the largest component.
  void flatten() {
    const u32 most = largest();
    in_parts(parent_.size(), [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        const u32 root = root_of(parent_.data(), static_cast<u32>(v));
        store(&parent_[v], root);
        inside_[v] = root == most ? 1 : 0;
      }
    });
  }

  /// The root above most of some vertices.
  u32 largest() const {
    constexpr size_t kVertices = 1'024;
    std::vector<u32> roots;
    for (size_t i = 0; i < kVertices && !parent_.empty(); ++i) {
      roots.push_back(root_of(parent_.data(), static_cast<u32>(parent_.size() * i / kVertices)));
    }
    std::sort(roots.begin(), roots.end());
    u32 best = 0;
    std::ptrdiff_t most = 0;
    for (auto at = roots.begin(); at != roots.end();) {
      const auto next = std::upper_bound(at, roots.end(), *at);
      if (next - at > most) best = *at;
      most = std::max(most, next - at);
      at = next;
    }
    return best;
  }

  const Graph& graph_;
  std::vector<u32> parent_;
  std::vector<uint8_t> inside_;  // 1: surely in the largest component
};

}  // namespace

std::vector<uint32_t> components(const Graph& graph) {
  if (graph.vertices > int64_t{1} << 32) throw UserError("a graph of more than 2^32 vertices has no labels");
  return Search(graph).run();
}

int64_t count_components(const std::vector<uint32_t>& label) {
  int64_t count = 0;
  for (size_t v = 0; v < label.size(); ++v) count += label[v] == v ? 1 : 0;
  return count;
}

}  // namespace lanewise::graph
