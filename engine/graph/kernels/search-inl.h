#pragma once

// Freestanding: this text is also compiled by NVRTC. The steps of breadth-first search.

#include "graph/kernels/memory-inl.h"

namespace lanewise::graph {

/// The other ends of edges by vertices: those of v from at[v] to at[v + 1].
struct Links {
  const u64* at;
  const u32* ends;
};

/// The first level.
struct Root {
  static constexpr char kName[] = "root";
  u32* level;
  u32* frontier;
  u32* counts;
  u32 root;

  LANES_FN void operator()(u64 /*item*/) const {
    level[root] = 0;
    frontier[0] = root;
    counts[0] = 1;
    counts[1] = 0;
  }
};

/// From the vertices of level `depth` to those of the next. The host need not know their number: the previous
/// level has counted them in counts[depth % 3], and the counter of the level after next is cleared. As many
/// items as the device runs concurrently share the work.
struct Advance {
  static constexpr char kName[] = "advance";
  Links targets, sources;
  u32* level;
  const u32* here;
  u32* next;
  u32* counts;
  u32 depth, vertices, items;
  u32 many;         // a larger frontier is searched for by unreached vertices
  u32 least_shift;  // each vertex has at least 2^shift items

  LANES_FN void operator()(u64 item) const {
    const u32 found = peek(counts + depth % 3);  // nothing changes it meanwhile
    if (item == 0) store(counts + (depth + 2) % 3, 0u);
    if (found > many) {
      for (u64 v = item; v < vertices; v += items) ask(u32(v));
    } else {
      u32 shift = least_shift;
      while (u64(found) << (shift + 1) <= items && shift < 20) ++shift;
      for (u64 i = item; i < u64(found) << shift; i += items) follow(here[i >> shift], i, u64(1) << shift);
    }
  }

 private:
  LANES_FN void reach(u32 vertex) const { next[take_place(counts + (depth + 1) % 3)] = vertex; }

  /// The items of a vertex take turns with its edges.
  LANES_FN void follow(u32 vertex, u64 item, u64 turns) const {
    for (u64 e = targets.at[vertex] + (item & (turns - 1)); e < targets.at[vertex + 1]; e += turns) {
      const u32 target = targets.ends[e];
      if (peek(level + target) == kNobody && swap_if(level + target, kNobody, depth + 1)) reach(target);
    }
  }

  /// Whether an edge comes from this level.
  LANES_FN void ask(u32 vertex) const {
    if (peek(level + vertex) != kNobody) return;
    const u64 end = sources.at[vertex + 1];
    u64 e = sources.at[vertex];
    while (e < end && peek(level + sources.ends[e]) != depth) ++e;
    if (e == end) return;
    store(level + vertex, depth + 1);
    reach(vertex);
  }
};

}  // namespace lanewise::graph
