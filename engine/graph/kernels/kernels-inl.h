#pragma once

// Compiled by NVRTC, and ahead of time for ./dev kernels: a kernel for each step.

#include "graph/kernels/chains-inl.h"
#include "graph/kernels/matching-inl.h"
#include "graph/kernels/search-inl.h"
#include "graph/kernels/spanning_forest-inl.h"

#if defined(__CUDACC__)

/// A thread for each item.
#define GRAPH_STEP(name, Step)                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                         \
      name(lanewise::graph::Step step, lanewise::graph::u64 items) {                        \
    const lanewise::graph::u64 item = blockIdx.x * lanewise::graph::u64(256) + threadIdx.x; \
    if (item < items) step(item);                                                           \
  }

GRAPH_STEP(alone, Alone)
GRAPH_STEP(join_some, JoinSome)
GRAPH_STEP(join, Join)
GRAPH_STEP(flatten, Flatten)

GRAPH_STEP(choose, Choose)
GRAPH_STEP(offer_weight, OfferWeight)
GRAPH_STEP(offer_edge, OfferEdge)
GRAPH_STEP(join_trees, JoinTrees)
GRAPH_STEP(next_round, NextRound)

GRAPH_STEP(take_free, TakeFree)
GRAPH_STEP(plant, Plant)
GRAPH_STEP(grow, Grow)
GRAPH_STEP(turn, Turn)

GRAPH_STEP(root, Root)
GRAPH_STEP(advance, Advance)

GRAPH_STEP(unfold, Unfold)
GRAPH_STEP(choose_starts, ChooseStarts)
GRAPH_STEP(walk, Walk)
GRAPH_STEP(rise, Rise)
GRAPH_STEP(hop, Hop)
GRAPH_STEP(rank, Rank)
GRAPH_STEP(depth, Depth)

#endif
