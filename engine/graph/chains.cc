#include "graph/chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/error.h"
#include "graph/kernels/chains-inl.h"
#include "primitives/parallel.h"

namespace lanewise::graph {

namespace {

constexpr size_t kChainPart = 1 << 14;  // elements that a thread takes at once

/// f(begin, end) for parts of 0 to size, on all threads.
template <class F>
void in_chain_parts(size_t size, F f) {
  parallel_for((size + kChainPart - 1) / kChainPart,
               [&](size_t part) { f(part * kChainPart, std::min(size, (part + 1) * kChainPart)); });
}

/// Converts pointers to 32 bits. A tail points to itself in `trees`, otherwise to -1.
std::vector<u32> make_links(std::span<const int64_t> pointers, bool trees) {
  constexpr size_t kMost = kNobody - 1;
  const char* const what = trees ? "a tree" : "a list";
  const size_t size = pointers.size();
  if (size > kMost) throw UserError(fmt::format("{} of 2^32 - 1 elements or more is not supported", what));
  const auto is_wrong = [&](int64_t there) {
    return there < (trees ? 0 : -1) || there >= static_cast<int64_t>(size);
  };
  std::vector<u32> links(size);
  std::atomic<bool> wrong = false;
  in_chain_parts(size, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const int64_t there = pointers[i];
      if (is_wrong(there)) wrong = true;
      links[i] = trees && there == static_cast<int64_t>(i) ? kNobody : static_cast<u32>(there);
    }
  });
  for (size_t i = 0; wrong && i < size; ++i) {
    if (!is_wrong(pointers[i])) continue;
    throw UserError(fmt::format("{} of {} elements: {} points at {}", what, size, i, pointers[i]));
  }
  return links;
}

/// A part of a list: from a start to the one before the next.
struct Part {
  u32 start;
  u32 next = kNobody;  // the start after it
  u32 length = 0;
  int64_t rank = -1;  // of the start
};

/// Parts of lists are walked at once, several by each thread, so that it waits for many words of memory
/// together; then the parts' ranks are added up.
class ListRanking {
 public:
  explicit ListRanking(const std::vector<u32>& links) : links_(links), cells_(links.size()) {
    std::vector<uint8_t> follows(links.size());
    std::atomic<size_t> ends = 0;
    in_chain_parts(links.size(), [&](size_t begin, size_t end) {
      size_t own_ends = 0;
      for (size_t i = begin; i < end; ++i) {
        cells_[i] = unvisited(links[i]);
        if (links[i] == kNobody) {
          ++own_ends;
        } else {
          store(&follows[links[i]], uint8_t{1});
        }
      }
      ends += own_ends;
    });
    size_t heads = 0;
    for (size_t i = 0; i < links.size(); ++i) {
      heads += follows[i] == 0 ? 1 : 0;
      if (follows[i] == 0 || is_start(static_cast<u32>(i), kStartBits)) {
        parts_.push_back({.start = static_cast<u32>(i)});
      }
    }
    if (heads != ends) refuse_lists(links);  // else no element follows two others
  }

  std::vector<int64_t> run() {
    constexpr size_t kTogether = 128;
    parallel_for((parts_.size() + kTogether - 1) / kTogether,
                 [&](size_t i) { walk(i * kTogether, std::min(parts_.size(), (i + 1) * kTogether)); });
    add_up();
    std::vector<int64_t> rank(cells_.size());
    std::atomic<bool> circle = false;
    in_chain_parts(rank.size(), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const u32 part = owner_of(cells_[i]);
        if (part == kNobody) {
          circle = true;  // one without a start
        } else {
          rank[i] = parts_[part].rank - offset_of(cells_[i]);
        }
      }
    });
    if (circle) refuse_lists(links_);
    return rank;
  }

 private:
  static constexpr u32 kStartBits = 8;  // one element of 256 is a start
  static constexpr size_t kWalkers = 16;

  void walk(size_t begin, size_t end) {
    struct Walker {
      size_t part;
      u32 at;
    };
    std::array<Walker, kWalkers> walkers;
    size_t next = begin, active = 0;
    for (; active < kWalkers && next < end; ++active, ++next) walkers[active] = {next, parts_[next].start};
    while (active != 0) {
      for (size_t i = 0; i < active; ++i) {
        Walker& walker = walkers[i];
        Part& part = parts_[walker.part];
        const u32 there = link_of(cells_[walker.at]);
        cells_[walker.at] = visited(static_cast<u32>(walker.part), part.length++);
        walker.at = there;
        if (there != kNobody && !is_start(there, kStartBits)) continue;
        part.next = there;
        if (next < end) {
          walker = {next, parts_[next].start};
          ++next;
        } else {
          walker = walkers[--active];
        }
      }
    }
  }

  /// Along the parts until one is known, and back.
  void add_up() {
    std::vector<u32> path;
    for (u32 first = 0; first < parts_.size(); ++first) {
      path.clear();
      u32 at = first;
      while (parts_[at].rank < 0) {
        path.push_back(at);
        if (path.size() > parts_.size()) refuse_lists(links_);
        if (parts_[at].next == kNobody) break;
        at = owner_of(cells_[parts_[at].next]);
      }
      for (; !path.empty(); path.pop_back()) {
        Part& part = parts_[path.back()];
        part.rank = part.length - 1;
        if (part.next != kNobody) part.rank += 1 + parts_[owner_of(cells_[part.next])].rank;
      }
    }
  }

  const std::vector<u32>& links_;
  std::vector<u64> cells_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<u32> links_of_lists(std::span<const int64_t> next) { return make_links(next, false); }
std::vector<u32> links_of_trees(std::span<const int64_t> parent) { return make_links(parent, true); }

void refuse_lists(std::span<const u32> links) {
  std::vector<u32> before(links.size(), kNobody);
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i] == kNobody) continue;
    if (before[links[i]] != kNobody) {
      throw UserError(fmt::format("a list of {} elements: {} follows {} and {}; expected one predecessor",
                                  links.size(), links[i], before[links[i]], i));
    }
    before[links[i]] = static_cast<u32>(i);
  }
  refuse_trees(links);
}

void refuse_trees(std::span<const u32> links) {
  std::vector<u32> seen(links.size(), kNobody);  // from where
  for (size_t first = 0; first < links.size(); ++first) {
    for (u32 at = static_cast<u32>(first); at != kNobody && seen[at] != first; at = links[at]) {
      if (seen[at] != kNobody) break;
      seen[at] = static_cast<u32>(first);
      if (links[at] != kNobody && seen[links[at]] == first) {
        throw UserError(fmt::format("cycle through element {}", links[at]));
      }
    }
  }
  throw InternalError("links without a cycle were rejected");
}

std::vector<int64_t> list_ranks(std::span<const int64_t> next) {
  const std::vector<u32> links = links_of_lists(next);
  return ListRanking(links).run();
}

/// Up to the first vertex whose depth is known, and again to write those on the way. Threads that meet write
/// the same.
std::vector<int64_t> tree_depths(std::span<const int64_t> parent) {
  const std::vector<u32> above = links_of_trees(parent);
  std::vector<int64_t> depth(above.size(), -1);
  std::atomic<bool> circle = false;
  in_chain_parts(above.size(), [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      size_t steps = 0;
      u32 at = static_cast<u32>(v);
      int64_t known = load(&depth[at]);
      for (; known < 0 && above[at] != kNobody; known = load(&depth[at])) {
        at = above[at];
        if (++steps > above.size() || circle) {
          circle = true;
          return;
        }
      }
      int64_t here = static_cast<int64_t>(steps) + std::max<int64_t>(known, 0);
      for (at = static_cast<u32>(v); here >= 0 && load(&depth[at]) < 0; at = above[at]) {
        store(&depth[at], here--);
        if (above[at] == kNobody) break;
      }
    }
  });
  if (circle) refuse_trees(above);
  return depth;
}

}  // namespace lanewise::graph
