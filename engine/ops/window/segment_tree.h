#pragma once

#include <memory>
#include <vector>

#include "ops/window/accumulation.h"
#include "ops/window/contributors.h"

namespace lanewise::ops {

/// Partial results of an aggregate over blocks of rows, blocks of blocks and so on: any range of rows is
/// covered by a few of them (Leis et al., Efficient Processing of Window Functions in Analytical SQL Queries,
/// VLDB 2015). Not for aggregates with DISTINCT.
class SegmentTree {
 public:
  static constexpr uint32_t kLeaf = 16;   // rows of a block on the lowest level
  static constexpr uint32_t kFanout = 8;  // blocks that form one on the next level

  SegmentTree(const Accumulation& accumulation, const Contributors& contributors, const WindowRows& rows,
              const EvalContext& context);

  /// Adds the rows of piece i to group i of `to`.
  void add(std::span<const FrameRows::Piece> pieces, Accumulator& to, const EvalContext& context) const;

 private:
  static constexpr uint32_t kTile = 4096;  // lowest-level blocks that one thread makes

  /// Blocks that are merged into groups.
  struct Merges {
    std::vector<uint32_t> from, to;
  };
  using Level = std::vector<std::unique_ptr<Accumulator>>;  // by tile

  void make_leaves(const EvalContext& context);
  void make_levels(const EvalContext& context);
  void add_blocks(uint32_t begin, uint32_t end, uint32_t group,
                  std::vector<std::vector<Merges>>& merges) const;

  const Accumulation& accumulation_;
  const Contributors& contributors_;
  const WindowRows& rows_;
  std::vector<Level> levels_;  // all but the lowest have one tile
};

}  // namespace lanewise::ops
