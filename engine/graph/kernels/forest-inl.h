#pragma once

// Freestanding: this text is also compiled by NVRTC. A forest of vertices that many threads join: each vertex
// has a parent that is not greater than itself; a root is its own.

#include "graph/kernels/memory-inl.h"

namespace lanewise::graph {

/// The root above `v`.
LANES_FN u32 root_of(const u32* parent, u32 v) {
  for (u32 above = load(parent + v); above != v; above = load(parent + v)) v = above;
  return v;
}

/// Joins the trees of `first` and `second` at the smaller of their roots. Returns the root of both.
LANES_FN u32 link(u32* parent, u32 first, u32 second) {
  u32 a = load(parent + first), b = load(parent + second);
  while (a != b) {
    const u32 high = a > b ? a : b, low = a > b ? b : a;
    const u32 above = load(parent + high);
    if (above == low) return low;
    // Only a root gets a new parent.
    if (above == high && swap_if(parent + high, high, low)) return low;
    a = load(parent + load(parent + high));
    b = load(parent + low);
  }
  return a;
}

}  // namespace lanewise::graph
