#pragma once

// Freestanding: this text is also compiled by NVRTC. The steps of connected components: what is done for each
// item, by a thread of its own.

#include "graph/kernels/forest-inl.h"

namespace lanewise::graph {

struct Edge {
  u32 source, target;
};

/// Each vertex is its own tree.
struct Alone {
  static constexpr char kName[] = "alone";
  u32* parent;

  LANES_FN void operator()(u64 v) const { parent[v] = u32(v); }
};

/// Joins the trees of some edges: runs of adjacent ones, one of `every`.
struct JoinSome {
  static constexpr char kName[] = "join_some";
  static constexpr u32 kRun = 256;
  const Edge* edges;
  u32* parent;
  u32 every;

  LANES_FN void operator()(u64 i) const {
    const Edge edge = edges[(i / kRun * every + every / 2) * kRun + i % kRun];
    link(parent, edge.source, edge.target);
  }
};

/// Joins the trees of an edge; skipped if both ends are known to have the same root.
struct Join {
  static constexpr char kName[] = "join";
  const Edge* edges;
  u32* parent;

  LANES_FN void operator()(u64 e) const {
    const Edge edge = edges[e];
    if (peek(parent + edge.source) != peek(parent + edge.target)) link(parent, edge.source, edge.target);
  }
};

/// Sets a vertex's parent to its root.
struct Flatten {
  static constexpr char kName[] = "flatten";
  u32* parent;

  LANES_FN void operator()(u64 v) const { store(parent + v, root_of(parent, u32(v))); }
};

}  // namespace lanewise::graph
