#include "graph/components.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "graph/kernels/forest-inl.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr size_t kPart = 1 << 14;     // edges or vertices that a thread takes at once
constexpr size_t kSample = 1'024;     // sampled vertices or edges, to find properties of most
constexpr size_t kFetch = 256;        // edges whose parents are prefetched: a core's own prefetching
                                      // stops at the end of a page
constexpr size_t kFetchParents = 16;  // the same for addresses known only then
constexpr size_t kFetchEnds = 24;

/// f(begin, end) for parts of 0 to size, on all threads.
template <class F>
void in_parts(size_t size, F f) {
  parallel_for((size + kPart - 1) / kPart,
               [&](size_t part) { f(part * kPart, std::min(size, (part + 1) * kPart)); });
}

/// The trees joined by edges so far.
class Forest {
 public:
  explicit Forest(size_t vertices) : parent_(vertices) {}

  size_t size() const { return parent_.size(); }
  u32* parents() { return parent_.data(); }
  void fetch(size_t v) const { __builtin_prefetch(&parent_[v]); }

  /// Sets the parent of every vertex of a part to its root, and calls f(vertex, root).
  template <class F>
  void flatten(size_t begin, size_t end, F f) {
    for (size_t v = begin; v < end; ++v) {
      const u32 above = load(&parent_[v]);
      u32 root = load(&parent_[above]);
      if (root != above) store(&parent_[v], root = root_of(parent_.data(), root));
      f(v, root);
    }
  }
  void flatten() {
    in_parts(size(), [&](size_t begin, size_t end) { flatten(begin, end, [](size_t, u32) {}); });
  }

  struct Tree {
    u32 root = 0;
    size_t vertices = 0;  ///< of kSample
  };
  /// The tree with the most vertices of a sample.
  Tree largest() const {
    std::vector<u32> roots;
    for (size_t i = 0; i < kSample && size() != 0; ++i) {
      roots.push_back(root_of(parent_.data(), static_cast<u32>(size() * i / kSample)));
    }
    std::sort(roots.begin(), roots.end());
    Tree best;
    for (auto at = roots.begin(); at != roots.end();) {
      const auto next = std::upper_bound(at, roots.end(), *at);
      const auto vertices = static_cast<size_t>(next - at);
      if (vertices > best.vertices) best = {*at, vertices};
      at = next;
    }
    return best;
  }

  std::vector<u32> take() { return std::move(parent_); }

 private:
  std::vector<u32> parent_;
};

/// Afforest (Sutton, Ben-Nun, Barak, IPDPS 2018) on edges in any order: a sample joins most vertices of the
/// same component; edges within the largest component so far are then skipped. One bit per vertex says
/// whether it is inside: the bits stay in the cache, labels would not.
class FromEdges {
 public:
  explicit FromEdges(const Graph& graph)
      : graph_(graph), forest_(static_cast<size_t>(graph.vertices)), inside_(forest_.size() / 64 + 1) {
    in_parts(forest_.size(), [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) forest_.parents()[v] = static_cast<u32>(v);
    });
  }

  std::vector<u32> run() {
    constexpr size_t kRun = 256;  // adjacent edges that are sampled together
    for (const size_t every : {128, 16}) {
      const size_t runs = graph_.edges() / kRun / every;
      in_parts(runs * kRun, [&](size_t begin, size_t end) {
        for (size_t at = begin; at < end; at += kRun) {
          const size_t run = (at / kRun * every + every / 2) * kRun;
          join(run, run + kRun);
        }
      });
      mark_largest();
      if (most_are_inside()) break;
    }
    in_parts(graph_.edges(), [&](size_t begin, size_t end) { join(begin, end); });
    forest_.flatten();
    return forest_.take();
  }

 private:
  /// Whether `v` is known to be in the largest component.
  u64 inside(int64_t v) const {
    const auto at = static_cast<u64>(v);
    return load(&inside_[at / 64]) >> (at % 64) & 1;
  }
  /// If two threads set bits concurrently, one may be lost: that costs only time.
  void note(int64_t v) {
    const auto at = static_cast<u64>(v);
    u64* const word = &inside_[at / 64];
    const u64 before = load(word), after = before | u64{1} << (at % 64);
    if (after != before) store(word, after);  // unchanged words stay in both cores' caches
  }

  /// Joins the trees of edges [begin, end), at most kPart; edges within the largest component are skipped.
  void join(size_t begin, size_t end) {
    static_assert(kPart <= 1 << 16);
    std::array<uint16_t, kPart> outside;
    const int64_t* const source = graph_.source.data() + begin;
    const int64_t* const target = graph_.target.data() + begin;
    size_t count = 0;
    for (size_t e = 0; e < end - begin; ++e) {
      if (e % 8 == 0) {
        __builtin_prefetch(source + e + kFetch);
        __builtin_prefetch(target + e + kFetch);
      }
      outside[count] = static_cast<uint16_t>(e);
      count += 1 ^ (inside(source[e]) & inside(target[e]));
    }
    const auto fetch = [&](size_t i) {
      forest_.fetch(static_cast<size_t>(source[outside[i]]));
      forest_.fetch(static_cast<size_t>(target[outside[i]]));
    };
    for (size_t i = 0; i < std::min(kFetchParents, count); ++i) fetch(i);
    for (size_t i = 0; i < count; ++i) {
      if (i + kFetchParents < count) fetch(i + kFetchParents);
      const int64_t a = source[outside[i]], b = target[outside[i]];
      if (link(forest_.parents(), static_cast<u32>(a), static_cast<u32>(b)) != largest_) continue;
      note(a);
      note(b);
    }
  }

  /// Finds the largest component so far, and its vertices.
  void mark_largest() {
    largest_ = forest_.largest().root;
    in_parts(forest_.size(), [&](size_t begin, size_t end) {
      std::fill(&inside_[begin / 64], &inside_[(end + 63) / 64], u64{0});
      forest_.flatten(begin, end, [&](size_t v, u32 root) {
        inside_[v / 64] |= u64{root == largest_ ? u64{1} : u64{0}} << (v % 64);
      });
    });
  }

  /// Tests both ends of some edges.
  bool most_are_inside() const {
    u64 found = 0;
    for (size_t i = 0; i < kSample && graph_.edges() != 0; ++i) {
      const size_t e = graph_.edges() * i / kSample;
      found += inside(graph_.source[e]) & inside(graph_.target[e]);
    }
    return found > kSample / 2;
  }

  const Graph& graph_;
  Forest forest_;
  std::vector<u64> inside_;
  u32 largest_ = ~u32{0};  // the root of the largest component
};

/// The same on neighbours. The first neighbour of each vertex, if it is smaller, becomes its parent: a forest
/// without synchronisation (as in ECL-CC: Jaiganesh, Burtscher, HPDC 2018). If many trees remain, a second
/// neighbour joins them. Then vertices outside of the largest component visit their neighbours until they are
/// inside.
class FromNeighbours {
 public:
  explicit FromNeighbours(const Neighbours& neighbours)
      : neighbours_(neighbours), size_(neighbours.vertices()), forest_(size_) {}

  std::vector<u32> run() {
    in_parts(size_, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        __builtin_prefetch(ends_of(std::min(v + kFetchEnds, size_ - 1)).data());
        const auto ends = ends_of(v);
        forest_.parents()[v] = std::min(static_cast<u32>(v), ends.empty() ? ~u32{0} : ends[0]);
      }
    });
    forest_.flatten();
    if (forest_.largest().vertices < kSample / 2) {
      in_parts(size_, [&](size_t begin, size_t end) { join_last(begin, end); });
      forest_.flatten();
    }
    const u32 largest = forest_.largest().root;
    in_parts(size_, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        if (load(&forest_.parents()[v]) != largest) join_until(static_cast<u32>(v), largest);
      }
    });
    forest_.flatten();
    return forest_.take();
  }

 private:
  std::span<const u32> ends_of(size_t v) const { return neighbours_.of(static_cast<u32>(v)); }

  void join_last(size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const auto far = ends_of(std::min(v + kFetchEnds, size_ - 1));
      __builtin_prefetch(far.data() + far.size());
      const auto near = ends_of(std::min(v + kFetchParents, size_ - 1));
      if (!near.empty()) forest_.fetch(near.back());
      const auto ends = ends_of(v);
      if (!ends.empty()) link(forest_.parents(), static_cast<u32>(v), ends.back());
    }
  }

  /// Once `v` is inside, its other edges are handled from their other ends, if those are outside.
  void join_until(u32 v, u32 largest) {
    for (const u32 end : ends_of(v)) {
      if (link(forest_.parents(), v, end) == largest) return;
    }
  }

  const Neighbours& neighbours_;
  size_t size_;
  Forest forest_;
};

}  // namespace

std::vector<uint32_t> components(const Graph& graph) {
  if (graph.vertices > int64_t{1} << 32)
    throw UserError("components of more than 2^32 vertices are not supported");
  return FromEdges(graph).run();
}

std::vector<uint32_t> components(const Neighbours& neighbours) { return FromNeighbours(neighbours).run(); }

int64_t count_components(const std::vector<uint32_t>& label) {
  int64_t count = 0;
  for (size_t v = 0; v < label.size(); ++v) count += label[v] == v ? 1 : 0;
  return count;
}

}  // namespace lanewise::graph
