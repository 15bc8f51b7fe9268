#pragma once

// Freestanding: this text is also compiled by NVRTC. The steps of the lightest spanning forest: Boruvka's
// rounds, in which each tree takes the lightest edge that leaves it.

#include "graph/kernels/components-inl.h"

namespace lanewise::graph {

/// Greater than every weight and every number of an edge.
constexpr u32 kNoEdge = ~0u;
constexpr u64 kNoWeight = ~u64(0);
/// The ordered weight of all edges if none has a weight.
constexpr u64 kEqualWeight = 1;

/// A word for a double's bits, in the order of the numbers.
LANES_FN u64 ordered(u64 bits) {
  constexpr u64 kSign = u64(1) << 63;
  if (bits == kSign) return kSign;  // -0 is 0
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// An edge that may join two trees.
struct Candidate {
  u64 weight;  // in order
  u32 edge;
  u32 a, b;  // trees, named by their roots
  u32 unused;
};

/// The best edge of a tree so far: the lightest, and of these the one with the smallest number.
struct Best {
  u64* weight;
  u32* edge;

  LANES_FN bool is(u32 tree, const Candidate& candidate) const {
    return weight[tree] == candidate.weight && edge[tree] == candidate.edge;
  }
};

/// Selects the edges in a range of weights that lead to another tree.
struct Choose {
  static constexpr char kName[] = "choose";
  const Edge* edges;
  const u64* weights;  // bits of doubles; null: all weigh the same
  const u32* parent;
  u64 above, most;  // ordered weights: greater than the first, at most the second
  Candidate* chosen;
  u32* count;

  LANES_FN void operator()(u64 e) const {
    const u64 weight = weights == nullptr ? kEqualWeight : ordered(weights[e]);
    if (weight <= above || weight > most) return;
    const Edge edge = edges[e];
    const u32 a = peek(parent + edge.source), b = peek(parent + edge.target);
    if (a != b) chosen[take_place(count)] = {weight, u32(e), a, b, 0};
  }
};

/// Keeps candidates that still connect two trees, and offers their weight to both.
struct OfferWeight {
  static constexpr char kName[] = "offer_weight";
  const Candidate* from;
  const u32* parent;
  Best best;
  Candidate* kept;
  u32* count;

  LANES_FN void operator()(u64 i) const {
    Candidate candidate = from[i];
    candidate.a = peek(parent + candidate.a);
    candidate.b = peek(parent + candidate.b);
    if (candidate.a == candidate.b) return;
    kept[take_place(count)] = candidate;
    lower(best.weight + candidate.a, candidate.weight);
    lower(best.weight + candidate.b, candidate.weight);
  }
};

/// Offers the numbers of the lightest edges to their trees.
struct OfferEdge {
  static constexpr char kName[] = "offer_edge";
  const Candidate* candidates;
  const u32* count;  // of candidates
  Best best;

  LANES_FN void operator()(u64 i) const {
    if (i >= *count) return;
    const Candidate candidate = candidates[i];
    if (best.weight[candidate.a] == candidate.weight) lower(best.edge + candidate.a, candidate.edge);
    if (best.weight[candidate.b] == candidate.weight) lower(best.edge + candidate.b, candidate.edge);
  }
};

/// Joins two trees by an edge that is the best for one of them.
struct JoinTrees {
  static constexpr char kName[] = "join_trees";
  const Candidate* candidates;
  const u32* candidate_count;
  Best best;
  u32* parent;
  u32* taken;
  u32* count;

  LANES_FN void operator()(u64 i) const {
    if (i >= *candidate_count) return;
    const Candidate candidate = candidates[i];
    if (!best.is(candidate.a, candidate) && !best.is(candidate.b, candidate)) return;
    taken[take_place(count)] = candidate.edge;
    link(parent, candidate.a, candidate.b);
  }
};

/// Sets a vertex's parent to its root, and resets its best edge.
struct NextRound {
  static constexpr char kName[] = "next_round";
  u32* parent;
  Best best;

  LANES_FN void operator()(u64 v) const {
    best.weight[v] = kNoWeight;
    best.edge[v] = kNoEdge;
    store(parent + v, root_of(parent, u32(v)));
  }
};

}  // namespace lanewise::graph
