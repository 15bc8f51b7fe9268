#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/column.h"
#include "ops/ordered_rows.h"
#include "ops/sort_columns.h"
#include "primitives/sort/row_sort.h"

namespace lanewise::ops {

/// Large, so that picking rows at random touches few pages and parts.
inline constexpr int64_t kSortBatch = int64_t{1} << 20;

/// The rows of threads' OrderedRows of `columns`, sorted by the first `keys` keys; rows that
/// compare equal keep the input's order.
class SortedRows {
 public:
  SortedRows(std::vector<std::unique_ptr<Sink::Local>>& locals, MemoryBudget* budget, std::string_view what);

  size_t size() const { return rows_.size(); }
  /// Sorts so that the rows [first, first + count) are correct; others may not be.
  void sort(const SortColumns& columns, size_t keys, size_t first, size_t count,
            const Cancellation* cancellation);
  /// The batches that row numbers (see row_of) refer to.
  std::span<const Batch* const> parts() const { return parts_; }
  std::span<const KeyRow> rows() const { return {rows_.data(), rows_.size()}; }

 private:
  MemoryBudget* budget_;
  std::string_view what_;
  std::vector<const Batch*> parts_;
  BufferBuilder<KeyRow> rows_;
};

}  // namespace lanewise::ops
