#pragma once

// Freestanding: this text is also compiled by NVRTC. The steps of ranking linked lists and of the depths of
// trees: pointers that lead to an end.

#include "graph/kernels/memory-inl.h"

namespace lanewise::graph {

/// Whether element i, one of 2^bits, starts a part of its list: chosen so that no common order of lists
/// has long parts.
LANES_FN bool is_start(u32 i, u32 bits) {
  u32 x = (i ^ i >> 16) * 0x45d9f3bu;
  x = (x ^ x >> 16) * 0x45d9f3bu;
  return x >> (32 - bits) == 0;
}

/// The state of an element of a list, in one word: first the element after it; once it was passed,
/// its part of the list, and the number of that part's elements before it.
LANES_FN u64 unvisited(u32 link) { return u64(kNobody) << 32 | link; }
LANES_FN u64 visited(u32 part, u32 offset) { return u64(part) << 32 | offset; }
LANES_FN u32 link_of(u64 cell) { return u32(cell); }
LANES_FN u32 offset_of(u64 cell) { return u32(cell); }
LANES_FN u32 owner_of(u64 cell) { return u32(cell >> 32); }

/// The target of an element, and the number of links to it; kNobody: the end of its list. One word, so
/// that threads read both or neither.
LANES_FN u64 hop_to(u32 element, u32 links) { return u64(element) << 32 | links; }
LANES_FN u32 hop_end(u64 hop) { return u32(hop >> 32); }
LANES_FN u32 hop_links(u64 hop) { return u32(hop); }

/// Counters of the steps: whether a round of pointer jumping left some unsettled (three words in turn);
/// heads, ends, parts; elements that are in no part.
enum Count : u32 { kUnsettled, kHeads = 3, kEnds, kParts, kLost, kCounts };

/// Sets each element's cell; marks elements that follow another one.
struct Unfold {
  static constexpr char kName[] = "unfold";
  const u32* links;
  u64* cells;
  u32* follows;
  u32* counts;

  LANES_FN void operator()(u64 i) const {
    const u32 link = links[i];
    cells[i] = unvisited(link);
    if (link == kNobody) {
      take_place(counts + kEnds);
    } else {
      store(follows + link, u32(1));
    }
  }
};

/// Parts start at the heads of lists, and at one of 2^kBits elements.
struct ChooseStarts {
  static constexpr char kName[] = "choose_starts";
  static constexpr u32 kBits = 4;
  const u32* follows;
  u32* starts;
  u32* counts;

  LANES_FN void operator()(u64 i) const {
    const bool head = follows[i] == 0;
    if (head) take_place(counts + kHeads);
    if (head || is_start(u32(i), kBits)) starts[take_place(counts + kParts)] = u32(i);
  }
};

/// Walks over a part of a list. No element follows two others, so parts are disjoint.
struct Walk {
  static constexpr char kName[] = "walk";
  const u32* starts;
  u64* cells;
  u64* hops;

  LANES_FN void operator()(u64 item) const {
    const u32 start = starts[item];
    u32 at = start, length = 0;
    for (;;) {
      const u32 link = link_of(cells[at]);
      cells[at] = visited(start, length++);
      if (link == kNobody || is_start(link, ChooseStarts::kBits)) {
        hops[start] = hop_to(link, link == kNobody ? length - 1 : length);
        return;
      }
      at = link;
    }
  }
};

/// The first pointer of each vertex of a tree: over one link.
struct Rise {
  static constexpr char kName[] = "rise";
  const u32* links;
  u64* hops;

  LANES_FN void operator()(u64 v) const { hops[v] = hop_to(links[v], links[v] == kNobody ? 0 : 1); }
};

/// Pointer jumping: adds the target's pointer, several times, so that
/// a pointer covers at least 1 + kHops times as many links. Records whether some do not reach their end yet;
/// does nothing if all did in the previous round. Without `chosen` each item is an element.
struct Hop {
  static constexpr char kName[] = "hop";
  static constexpr u32 kHops = 3;
  const u32* chosen;
  u64* hops;
  u32* counts;
  u32 round;

  LANES_FN void operator()(u64 item) const {
    if (item == 0) store(counts + (round + 1) % 3, 0u);
    if (round != 0 && peek(counts + (round + 2) % 3) == 0) return;
    const u32 element = chosen == nullptr ? u32(item) : chosen[item];
    u64 hop = load(hops + element);
    if (hop_end(hop) == kNobody) return;
    for (u32 i = 0; i < kHops && hop_end(hop) != kNobody; ++i) {
      const u64 there = load(hops + hop_end(hop));
      hop = hop_to(hop_end(there), hop_links(hop) + hop_links(there));
    }
    store(hops + element, hop);
    u32* const unsettled = counts + round % 3;
    if (hop_end(hop) != kNobody && peek(unsettled) == 0) store(unsettled, 1u);  // few write one word
  }
};

/// Writes the rank of each element to its link; counts those in cycles without a start.
struct Rank {
  static constexpr char kName[] = "rank";
  const u64* cells;
  const u64* hops;
  u32* ranks;
  u32* counts;

  LANES_FN void operator()(u64 i) const {
    const u64 cell = cells[i];
    if (owner_of(cell) == kNobody) {
      take_place(counts + kLost);
    } else {
      ranks[i] = hop_links(hops[owner_of(cell)]) - offset_of(cell);
    }
  }
};

/// The depth of each vertex.
struct Depth {
  static constexpr char kName[] = "depth";
  const u64* hops;
  u32* depths;

  LANES_FN void operator()(u64 v) const { depths[v] = hop_links(hops[v]); }
};

}  // namespace lanewise::graph
