#pragma once

#include <cstdint>
#include <vector>

#include "data/column.h"
#include "expr/evaluation/evaluate.h"

namespace lanewise::ops {

/// The operator's name in memory errors.
inline constexpr const char* kWindow = "Window functions (OVER)";

/// Ascending row numbers.
using Starts = BufferBuilder<uint32_t>;

/// All rows of a window, sorted by partition and order, each column contiguous.
struct WindowRows {
  uint32_t rows = 0;
  std::vector<ColumnPtr> columns;
  Starts partitions;  ///< the first row of each partition, then `rows`
  Starts peers;       ///< likewise for rows that are equal in partition and order

  /// The values of a column or a literal for the rows [first, first + count).
  Vector values(const Expr& expr, uint32_t first, uint32_t count, Arena& arena) const;
  /// The same for the given rows, which may be kNoRow.
  Vector values_at(const Expr& expr, const uint32_t* at, const ActiveSet& active) const;
};

/// The rows that differ from the one before in one of the columns, ascending; 0 and `rows` are among them.
Starts starts_of_runs(const std::vector<ColumnPtr>& columns, uint32_t rows, const EvalContext& context);

/// A copy of the context for another thread.
EvalContext context_like(const EvalContext& context, Arena& arena);

/// The current row and its partition and peers; moves from row to row.
class WindowCursor {
 public:
  WindowCursor(const WindowRows& rows, uint32_t row);

  uint32_t row() const { return row_; }
  uint32_t partition_begin() const { return rows_.partitions[partition_]; }
  uint32_t partition_end() const { return rows_.partitions[partition_ + 1]; }
  uint32_t peers_begin() const { return rows_.peers[peers_]; }
  uint32_t peers_end() const { return rows_.peers[peers_ + 1]; }
  size_t partition() const { return partition_; }
  /// The number of the row's peer group, and of the partition's first one.
  size_t group() const { return peers_; }
  size_t first_group() const { return first_group_; }

  /// Moves to the next row. Nothing may be called after the last one.
  void advance();

 private:
  const WindowRows& rows_;
  uint32_t row_;
  size_t partition_;
  size_t peers_;
  size_t first_group_ = 0;
};

}  // namespace lanewise::ops
