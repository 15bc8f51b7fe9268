#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ops/scan/column_store.h"
#include "ops/scan/input.h"
#include "ops/sink.h"

namespace lanewise::ops {

/// Rows of hot columns, and how many rows their bounds skipped.
struct StoredInput {
  std::unique_ptr<Input> input;
  int64_t rows = 0;
  int64_t skipped_rows = 0;
};

/// The rows of `columns`, except zones in which one of `predicates` (over these columns) cannot hold. Chunks
/// of different columns need not have the same lengths. No input if a column does not have `rows` rows. With
/// `order`, the zones that can contain the first rows come first, and morsels have bounds.
StoredInput read_stored(const std::vector<ColumnStore::Chunks>& columns, int64_t rows,
                        const std::vector<ExprPtr>& predicates, const Slicing& slicing,
                        const std::optional<InputOrder>& order = std::nullopt);

/// Rows [first, end).
struct RowRange {
  int64_t first, end;
};
/// The ranges of `rows` rows in whose zones all predicates may hold. Nothing is known of columns that are
/// null.
std::vector<RowRange> ranges_that_may_hold(const std::vector<ColumnStore::Chunks>& columns, int64_t rows,
                                           const std::vector<ExprPtr>& predicates);

/// Rows of the column.
int64_t rows_of(const std::vector<StoredChunk>& chunks);

}  // namespace lanewise::ops
