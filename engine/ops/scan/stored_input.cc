#include "ops/scan/stored_input.h"

#include <algorithm>

#include "ops/scan/morsel_list.h"

namespace lanewise::ops {

namespace {

/// Iterates over one column.
class Cursor {
 public:
  explicit Cursor(const std::vector<StoredChunk>& chunks) : chunks_(chunks) { skip_empty(); }

  int64_t left_in_chunk() const { return chunks_[chunk_].column->rows - row_; }
  int64_t left_in_zone() const { return std::min(left_in_chunk(), kZoneRows - row_ % kZoneRows); }
  Span span() const { return {chunks_[chunk_].column, row_}; }
  const Bounds& zone() const { return chunks_[chunk_].zones[static_cast<size_t>(row_ / kZoneRows)]; }

  void advance(int64_t rows) {
    row_ += rows;
    if (left_in_chunk() == 0) {
      ++chunk_;
      row_ = 0;
      skip_empty();
    }
  }

 private:
  void skip_empty() {
    while (chunk_ < chunks_.size() && chunks_[chunk_].column->rows == 0) ++chunk_;
  }

  const std::vector<StoredChunk>& chunks_;
  size_t chunk_ = 0;
  int64_t row_ = 0;
};

/// Iterates over all columns together and collects the rows to read.
class ColumnWalk {
 public:
  ColumnWalk(const std::vector<ColumnStore::Chunks>& columns, const std::vector<ExprPtr>& predicates,
             const Slicing& slicing, const std::optional<InputOrder>& order)
      : predicates_(predicates), slicing_(slicing), order_(order), tested_(columns.size()) {
    for (const auto& column : columns) cursors_.emplace_back(*column);
    for (const ExprPtr& predicate : predicates) {
      for (size_t column : columns_of(*predicate)) tested_[column] = true;
    }
    if (order_) tested_[order_->column] = true;
  }

  void run(int64_t rows) {
    while (row_ < rows) {
      int64_t step = rows - row_;
      bool same_chunks = true;
      for (size_t i = 0; i < cursors_.size(); ++i) {
        step = std::min(step, tested_[i] ? cursors_[i].left_in_zone() : cursors_[i].left_in_chunk());
      }
      may_hold_here() ? take(step) : skip(step);
      if (order_) flush();
      for (Cursor& cursor : cursors_) {
        same_chunks &= cursor.left_in_chunk() != step;
        cursor.advance(step);
      }
      row_ += step;
      if (!same_chunks) flush();
    }
    flush();
  }

  std::vector<Morsel> morsels;
  int64_t skipped = 0;

 private:
  bool may_hold_here() const {
    return std::all_of(predicates_.begin(), predicates_.end(), [&](const ExprPtr& predicate) {
      return may_hold(*predicate, [&](size_t column) { return &cursors_[column].zone(); });
    });
  }

  void take(int64_t step) {
    if (taken_ == 0) {
      for (const Cursor& cursor : cursors_) start_.push_back(cursor.span());
      start_row_ = row_;
    }
    taken_ += step;
  }

  void skip(int64_t step) {
    flush();
    skipped += step;
  }

  void flush() {
    const size_t before = morsels.size();
    if (taken_ != 0) cut(start_, taken_, static_cast<uint64_t>(start_row_), slicing_, morsels);
    if (order_) {
      for (size_t i = before; i < morsels.size(); ++i) morsels[i].bounds = &cursors_[order_->column].zone();
    }
    taken_ = 0;
    start_.clear();
  }

  const std::vector<ExprPtr>& predicates_;
  const Slicing& slicing_;
  const std::optional<InputOrder> order_;
  std::vector<bool> tested_;
  std::vector<Cursor> cursors_;
  int64_t row_ = 0;
  std::vector<Span> start_;  // of the rows taken since the last flush
  int64_t start_row_ = 0;
  int64_t taken_ = 0;
};

/// Whether rows within `a` may precede those within `b`.
bool begins_before(const Bounds& a, const Bounds& b, const InputOrder& order) {
  const auto rank = [&](const Bounds& bounds) {
    if (order.nulls_first && bounds.nulls != 0) return 0;
    if (!bounds.known) return bounds.nulls == bounds.rows ? 3 : 1;
    return order.descending && bounds.high_is_open ? 1 : 2;
  };
  if (rank(a) != rank(b) || rank(a) != 2) return rank(a) < rank(b);
  return order.descending ? compare(a.high, b.high) > 0 : compare(a.low, b.low) < 0;
}

}  // namespace

std::vector<RowRange> ranges_that_may_hold(const std::vector<ColumnStore::Chunks>& columns, int64_t rows,
                                           const std::vector<ExprPtr>& predicates) {
  std::vector<std::optional<Cursor>> cursors(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != nullptr && rows_of(*columns[i]) == rows) cursors[i].emplace(*columns[i]);
  }
  const auto zone = [&](size_t column) { return cursors[column] ? &cursors[column]->zone() : nullptr; };
  std::vector<RowRange> ranges;
  for (int64_t row = 0; row < rows;) {
    int64_t step = rows - row;
    for (const auto& cursor : cursors)
      if (cursor) step = std::min(step, cursor->left_in_zone());
    if (std::ranges::all_of(predicates, [&](const ExprPtr& one) { return may_hold(*one, zone); })) {
      if (ranges.empty() || ranges.back().end != row) ranges.push_back({row, row});
      ranges.back().end = row + step;
    }
    for (auto& cursor : cursors)
      if (cursor) cursor->advance(step);
    row += step;
  }
  return ranges;
}

int64_t rows_of(const std::vector<StoredChunk>& chunks) {
  int64_t rows = 0;
  for (const StoredChunk& chunk : chunks) rows += chunk.column->rows;
  return rows;
}

StoredInput read_stored(const std::vector<ColumnStore::Chunks>& columns, int64_t rows,
                        const std::vector<ExprPtr>& predicates, const Slicing& slicing,
                        const std::optional<InputOrder>& order) {
  for (const auto& column : columns) {
    if (rows_of(*column) != rows) return {};
  }
  StoredInput stored;
  stored.rows = rows;
  ColumnWalk walk(columns, predicates, slicing, order);
  walk.run(rows);
  if (order) {
    std::sort(walk.morsels.begin(), walk.morsels.end(), [&](const Morsel& a, const Morsel& b) {
      if (begins_before(*a.bounds, *b.bounds, *order)) return true;
      return !begins_before(*b.bounds, *a.bounds, *order) && a.order < b.order;
    });
  }
  stored.skipped_rows = walk.skipped;
  auto in_use =
      std::make_shared<std::vector<ColumnStore::Chunks>>(columns);  // so that the store does not evict them
  stored.input = std::make_unique<MorselList>(std::move(walk.morsels), std::move(in_use));
  return stored;
}

}  // namespace lanewise::ops
