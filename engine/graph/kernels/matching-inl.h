#pragma once

// Freestanding: this text is also compiled by NVRTC. The steps of a maximum bipartite matching: a greedy
// start, then alternating trees from all free rows at once. A column belongs to the tree that comes first, so
// that the paths of different trees are disjoint, and each tree can be augmented along one of them.

#include "graph/kernels/memory-inl.h"

namespace lanewise::graph {

/// No row, no column.
/// Rows, the columns adjacent to each, and the matching.
struct Pairs {
  const u64* at;    // by row: start of its columns; and the end
  const u32* ends;  // columns
  u32* column_of;   // by row
  u32* row_of;      // by column
};

/// The trees of one round.
struct Trees {
  u32* root;  // by row: root of its tree
  u32* from;  // by column: the row of the tree from which it was reached
  u32* goal;  // by root: a free column in its tree
};

/// A free row of at most `most` columns takes the first free one.
struct TakeFree {
  static constexpr char kName[] = "take_free";
  Pairs pairs;
  u32 most;

  LANES_FN void operator()(u64 row) const {
    const u64 begin = pairs.at[row], end = pairs.at[row + 1];
    if (end - begin > most || pairs.column_of[row] != kNobody) return;
    for (u64 i = begin; i < end; ++i) {
      const u32 column = pairs.ends[i];
      if (peek(pairs.row_of + column) != kNobody || !swap_if(pairs.row_of + column, kNobody, u32(row)))
        continue;
      pairs.column_of[row] = column;
      return;
    }
  }
};

/// The initial trees: the free rows, which grow first.
struct Plant {
  static constexpr char kName[] = "plant";
  Pairs pairs;
  Trees trees;
  u32* growing;
  u32* count;

  LANES_FN void operator()(u64 v) const {
    trees.from[v] = kNobody;
    trees.goal[v] = kNobody;
    const bool free = pairs.column_of[v] == kNobody;
    trees.root[v] = free ? u32(v) : kNobody;
    if (free) growing[take_place(count)] = u32(v);
  }
};

/// A row adds its columns to its tree, if no tree has them, and the rows matched with these columns.
struct Grow {
  static constexpr char kName[] = "grow";
  Pairs pairs;
  Trees trees;
  const u32* rows;
  u32* next;
  u32* count;
  u32* goals;  // number of trees that have a goal

  LANES_FN void operator()(u64 i) const {
    const u32 row = rows[i];
    const u32 root = trees.root[row];
    if (peek(trees.goal + root) != kNobody) return;
    for (u64 at = pairs.at[row]; at < pairs.at[row + 1]; ++at) {
      const u32 column = pairs.ends[at];
      if (peek(trees.from + column) != kNobody || !swap_if(trees.from + column, kNobody, row)) continue;
      const u32 mate = pairs.row_of[column];
      if (mate == kNobody) {
        if (swap_if(trees.goal + root, kNobody, column)) take_place(goals);
        return;
      }
      trees.root[mate] = root;
      next[take_place(count)] = mate;
    }
  }
};

/// Augments a tree along the path from its root to its goal.
struct Turn {
  static constexpr char kName[] = "turn";
  Pairs pairs;
  Trees trees;

  LANES_FN void operator()(u64 root) const {
    u32 column = trees.root[root] == root ? trees.goal[root] : kNobody;
    while (column != kNobody) {
      const u32 row = trees.from[column];
      const u32 before = pairs.column_of[row];
      pairs.column_of[row] = column;
      pairs.row_of[column] = row;
      column = before;
    }
  }
};

}  // namespace lanewise::graph
