#pragma once

#include <array>
#include <optional>

#include "ops/window/frames/rows.h"
#include "plan/node.h"

namespace lanewise::ops {

/// The rows that a function sees from one row: [begin, end) without the rows of EXCLUDE is at most three
/// pieces, in order. An empty piece has begin == end.
struct FrameRows {
  struct Piece {
    uint32_t begin = 0, end = 0;
    uint32_t size() const { return end - begin; }
  };
  std::array<Piece, 3> pieces;

  uint32_t size() const { return pieces[0].size() + pieces[1].size() + pieces[2].size(); }
  /// The i-th row that the function sees, i < size().
  uint32_t at(uint32_t i) const {
    size_t piece = 0;
    while (i >= pieces[piece].size()) i -= pieces[piece++].size();
    return pieces[piece].begin + i;
  }
  template <class F>
  void for_each(F f) const {
    for (const Piece& piece : pieces) {
      for (uint32_t row = piece.begin; row < piece.end; ++row) f(row);
    }
  }
};

/// Finds frames. Raises UserError for offsets that SQL does not allow.
class Frames {
 public:
  /// `frame`'s expressions are columns of the rows or literals; `key` is the order's first key, if any.
  Frames(const plan::Frame& frame, std::optional<plan::SortKey> key) : frame_(frame), key_(std::move(key)) {}

  /// The frames of the rows [first, first + count).
  std::vector<FrameRows> of(const WindowRows& rows, uint32_t first, uint32_t count, Arena& arena) const;
  /// Whether every frame is the row's whole partition.
  bool are_partitions() const;
  bool excludes() const { return frame_.exclusion != plan::FrameExclusion::kNone; }

 private:
  class Search;

  uint32_t bound(const plan::FrameBound& bound, bool is_begin, const WindowCursor& cursor,
                 const WindowRows& rows, const Vector& offset, uint32_t i, Search* search) const;
  FrameRows excluded(uint32_t begin, uint32_t end, const WindowCursor& cursor) const;

  plan::Frame frame_;
  std::optional<plan::SortKey> key_;
};

}  // namespace lanewise::ops
