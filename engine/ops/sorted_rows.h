#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/column.h"
#include "ops/ordered_rows.h"
#include "ops/sort_columns.h"
#include "primitives/parallel.h"
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
  /// Removes the rows for which `is_needed(part, row)` is false. Calls it from several threads.
  template <class F>
  void keep(F is_needed);
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

template <class F>
void SortedRows::keep(F is_needed) {
  constexpr size_t kShare = size_t{1} << 16;
  std::vector<size_t> left((rows_.size() + kShare - 1) / kShare);
  parallel_for(left.size(), [&](size_t share) {
    KeyRow* const first = rows_.data() + share * kShare;
    KeyRow* const last = rows_.data() + std::min((share + 1) * kShare, rows_.size());
    left[share] =
        static_cast<size_t>(std::remove_if(first, last,
                                           [&](const KeyRow& row) {
                                             return !is_needed(part_of(row.row), row_in_part(row.row));
                                           }) -
                            first);
  });
  size_t kept = 0;
  for (size_t share = 0; share < left.size(); ++share) {
    std::copy_n(rows_.data() + share * kShare, left[share], rows_.data() + kept);
    kept += left[share];
  }
  rows_.resize(kept);
}

}  // namespace lanewise::ops
