#pragma once

#include <optional>
#include <span>

#include "ops/window/frames/rows.h"
#include "ops/window/frames/wavelet_matrix.h"
#include "plan/node.h"

namespace lanewise::ops {

/// An order of the rows within frames: ORDER BY among the arguments of a call. Rows that are equal in it stay
/// in the window's order.
class FrameOrder {
 public:
  using Pieces = std::span<const FrameRows::Piece>;

  /// `keys` are columns of the rows. nth() skips rows in which `value` is NULL; null: none.
  FrameOrder(const std::vector<plan::SortKey>& keys, const WindowRows& rows, const Column* value,
             const EvalContext& context);

  /// How many rows of a frame come before the row.
  uint32_t before(Pieces frame, uint32_t row) const { return all_.less(frame, places_[row]); }
  /// How many are less than the row by the keys, and less or equal.
  uint32_t less(Pieces frame, uint32_t row) const { return all_.less(frame, first_peers_[places_[row]]); }
  uint32_t not_greater(Pieces frame, uint32_t row) const;
  /// The rows of a frame that nth() finds.
  uint32_t count(Pieces frame) const;
  /// The n-th row of a frame, from 0; n < count().
  uint32_t nth(Pieces frame, uint32_t n) const;

 private:
  std::array<FrameRows::Piece, 3> counted(Pieces frame) const;

  BufferBuilder<uint32_t> rows_;                           // in the order
  BufferBuilder<uint32_t> places_;                         // of rows in rows_
  BufferBuilder<uint32_t> first_peers_;                    // by place: that of the first row that is equal
  BufferBuilder<uint32_t> end_peers_;                      // by place: that after the last such row
  WaveletMatrix all_;                                      // places by row
  std::optional<BufferBuilder<uint32_t>> counted_before_;  // by row
  WaveletMatrix counted_;                                  // places of the counted rows
};

}  // namespace lanewise::ops
