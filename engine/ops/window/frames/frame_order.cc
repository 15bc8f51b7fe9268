#include "ops/window/frames/frame_order.h"

#include <algorithm>

#include "ops/pick.h"
#include "primitives/sort/row_sort.h"

namespace lanewise::ops {

namespace {

using PlaceList = BufferBuilder<uint32_t>;

/// The row numbers, sorted by the keys.
BufferBuilder<KeyRow> sorted_rows(const std::vector<plan::SortKey>& keys, const WindowRows& rows,
                                  const EvalContext& context) {
  BufferBuilder<KeyRow> sorted(context.budget, kWindow), scratch(context.budget, kWindow);
  sorted.resize(rows.rows);
  scratch.resize(rows.rows);
  for (uint32_t row = 0; row < rows.rows; ++row) sorted[row] = {0, row_of(0, row)};
  std::vector<RowKey> row_keys;
  for (const plan::SortKey& key : keys) {
    if (key.expr->kind == Expr::Kind::kLiteral) continue;
    row_keys.push_back(
        {key.expr->type, {key.descending, key.nulls_first}, {rows.columns[key.expr->column].get()}});
  }
  const std::span<KeyRow> all(sorted.data(), sorted.size());
  sort_rows(all, scratch.data(), row_keys, all, context.cancellation);
  return sorted;
}

}  // namespace

FrameOrder::FrameOrder(const std::vector<plan::SortKey>& keys, const WindowRows& rows, const Column* value,
                       const EvalContext& context)
    : rows_(context.budget, kWindow),
      places_(context.budget, kWindow),
      first_peers_(context.budget, kWindow),
      end_peers_(context.budget, kWindow) {
  const BufferBuilder<KeyRow> sorted = sorted_rows(keys, rows, context);
  places_.resize(rows.rows);
  for (uint32_t place = 0; place < rows.rows; ++place) {
    rows_.push_back(row_in_part(sorted[place].row));
    places_[rows_[place]] = place;
  }
  std::vector<ColumnPtr> columns;
  for (const plan::SortKey& key : keys) {
    if (key.expr->kind == Expr::Kind::kLiteral) continue;
    const Column* const column = rows.columns[key.expr->column].get();
    columns.push_back(
        pick(column->type, {&column, 1}, {sorted.data(), sorted.size()}, context.budget, kWindow));
  }
  const Starts peers = starts_of_runs(columns, rows.rows, context);
  for (size_t run = 0; run + 1 < peers.size(); ++run) {
    for (uint32_t place = peers[run]; place < peers[run + 1]; ++place) {
      first_peers_.push_back(peers[run]);
      end_peers_.push_back(peers[run + 1]);
    }
  }
  Buffer numbers = Buffer::allocate(size_t{rows.rows} * sizeof(uint32_t), context.budget, kWindow);
  std::copy_n(places_.data(), rows.rows, numbers.mutable_as<uint32_t>());
  all_ = WaveletMatrix(std::move(numbers), rows.rows, rows.rows, context.budget);
  if (value == nullptr || value->nulls == 0) return;
  counted_before_.emplace(context.budget, kWindow);
  PlaceList places(context.budget, kWindow);
  for (uint32_t row = 0; row < rows.rows; ++row) {
    counted_before_->push_back(static_cast<uint32_t>(places.size()));
    if (!value->is_null(row)) places.push_back(places_[row]);
  }
  const auto count = static_cast<uint32_t>(places.size());
  counted_before_->push_back(count);
  counted_ = WaveletMatrix(places.finish(), count, rows.rows, context.budget);
}

uint32_t FrameOrder::not_greater(Pieces frame, uint32_t row) const {
  return all_.less(frame, end_peers_[places_[row]]);
}

std::array<FrameRows::Piece, 3> FrameOrder::counted(Pieces frame) const {
  std::array<FrameRows::Piece, 3> pieces;
  for (size_t i = 0; i < frame.size(); ++i) {
    pieces[i] = frame[i];
    if (counted_before_) pieces[i] = {(*counted_before_)[frame[i].begin], (*counted_before_)[frame[i].end]};
  }
  return pieces;
}

uint32_t FrameOrder::count(Pieces frame) const {
  uint32_t count = 0;
  for (const FrameRows::Piece& piece : counted(frame)) count += piece.size();
  return count;
}

uint32_t FrameOrder::nth(Pieces frame, uint32_t n) const {
  return rows_[(counted_before_ ? counted_ : all_).smallest(counted(frame), n)];
}

}  // namespace lanewise::ops
