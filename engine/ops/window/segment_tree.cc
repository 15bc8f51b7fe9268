#include "ops/window/segment_tree.h"

#include <algorithm>
#include <numeric>

#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

// The positions of rows at a piece's ends among all of its rows.
constexpr uint64_t kBeforeBlocks = 0;
constexpr uint64_t kBehindBlocks = UINT64_MAX;

uint32_t blocks_of(uint32_t parts, uint32_t size) { return (parts + size - 1) / size; }

}  // namespace

SegmentTree::SegmentTree(const Accumulation& accumulation, const Contributors& contributors,
                         const WindowRows& rows, const EvalContext& context)
    : accumulation_(accumulation), contributors_(contributors), rows_(rows) {
  make_leaves(context);
  make_levels(context);
}

void SegmentTree::make_leaves(const EvalContext& context) {
  const uint32_t blocks = blocks_of(rows_.rows, kLeaf);
  Level& leaves = levels_.emplace_back(blocks_of(blocks, kTile));
  parallel_for(leaves.size(), [&](size_t tile) {
    const auto first = static_cast<uint32_t>(tile) * kTile;
    const uint32_t count = std::min(kTile, blocks - first);
    leaves[tile] = accumulation_.make(count, context.budget);
    RowFeed feed(accumulation_, *leaves[tile], rows_, tile + 1, context);
    const auto end = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{first + count} * kLeaf, rows_.rows));
    for (uint32_t row = first * kLeaf; row < end; ++row) {
      if (contributors_.passes_filter(row)) feed.push(row, row / kLeaf - first);
    }
    feed.flush();
    leaves[tile]->seal();
  });
}

void SegmentTree::make_levels(const EvalContext& context) {
  static_assert(kTile % kFanout == 0);
  for (uint32_t blocks = blocks_of(rows_.rows, kLeaf); blocks > kFanout;
       blocks = blocks_of(blocks, kFanout)) {
    Level level;
    level.push_back(accumulation_.make(blocks_of(blocks, kFanout), context.budget));
    const Level& below = levels_.back();
    for (size_t tile = 0; tile < below.size(); ++tile) {
      if (context.cancellation != nullptr) context.cancellation->check();
      const auto first = static_cast<uint32_t>(tile) * kTile;
      std::vector<uint32_t> from(below.size() == 1 ? blocks : std::min(kTile, blocks - first)),
          to(from.size());
      std::iota(from.begin(), from.end(), 0);
      for (size_t i = 0; i < to.size(); ++i) to[i] = (first + static_cast<uint32_t>(i)) / kFanout;
      level[0]->merge(*below[tile], from, to.data());
    }
    level[0]->seal();
    levels_.push_back(std::move(level));
  }
}

void SegmentTree::add_blocks(uint32_t begin, uint32_t end, uint32_t group,
                             std::vector<std::vector<Merges>>& merges) const {
  const auto add = [&](size_t level, uint32_t block) {
    const size_t tile = levels_[level].size() == 1 ? 0 : block / kTile;
    Merges& to = merges[level][tile];
    to.from.push_back(block - static_cast<uint32_t>(tile) * kTile);
    to.to.push_back(group);
  };
  for (size_t level = 0; begin < end; ++level, begin /= kFanout, end /= kFanout) {
    const bool top = level + 1 == levels_.size();
    for (; begin < end && (top || begin % kFanout != 0); ++begin) add(level, begin);
    for (; begin < end && end % kFanout != 0; --end) add(level, end - 1);
  }
}

void SegmentTree::add(std::span<const FrameRows::Piece> pieces, Accumulator& to,
                      const EvalContext& context) const {
  std::vector<std::vector<Merges>> merges;
  for (const Level& level : levels_) merges.emplace_back(level.size());
  RowFeed before(accumulation_, to, rows_, kBeforeBlocks, context);
  RowFeed behind(accumulation_, to, rows_, kBehindBlocks, context);
  const auto feed = [&](RowFeed& some, uint32_t begin, uint32_t end, uint32_t group) {
    for (uint32_t row = begin; row < end; ++row) {
      if (contributors_.passes_filter(row)) some.push(row, group);
    }
  };
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    const auto [begin, end] = pieces[i];
    if (end - begin <= 2 * kLeaf) {
      feed(before, begin, end, i);
      continue;
    }
    const uint32_t first = blocks_of(begin, kLeaf), last = end / kLeaf;
    feed(before, begin, first * kLeaf, i);
    add_blocks(first, last, i, merges);
    feed(behind, last * kLeaf, end, i);
  }
  before.flush();
  for (size_t level = 0; level < levels_.size(); ++level) {
    for (size_t tile = 0; tile < levels_[level].size(); ++tile) {
      const Merges& some = merges[level][tile];
      if (!some.from.empty()) to.merge(*levels_[level][tile], some.from, some.to.data());
    }
  }
  behind.flush();
}

}  // namespace lanewise::ops
