#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ops/ordered_rows.h"
#include "ops/sort_columns.h"

namespace lanewise::ops {

/// The rows that one thread has for a sort. While memory is short, each batch that ends is sorted and moved
/// to a temporary file: a run. Runs are then read in order, where rows at random would take a page each.
class SortedRuns : public OrderedRows {
 public:
  /// Rows of `columns`, sorted by the first `keys` keys. `columns` outlives this object.
  SortedRuns(const SortColumns& columns, size_t keys, std::string_view what);

  /// Ends the last batches of all threads. True if there are runs: then merge() sorts the rows.
  static bool any(const std::vector<std::unique_ptr<Sink::Local>>& locals);
  /// Rows from number `first` on, at most `count`, of all threads, sorted: equal rows are in the order of the
  /// input. `schema` is that of the first columns, which the table has. Parallel. Throws CancelledError.
  static Table merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals, size_t first,
                     size_t count, const EvalContext& context);

 protected:
  void spill(MemoryBudget* budget) override;

 private:
  struct Run {
    Batch rows;     ///< the sort's columns, then a column of the rows' orders
    Batch samples;  ///< every kSampled-th row; in memory
  };
  class Merge;

  std::vector<RowKey> keys_of(std::span<const Batch* const> parts) const;
  Run sorted(const Batch& batch, MemoryBudget* budget) const;

  const SortColumns& columns_;
  size_t keys_;
  std::string_view what_;
  Schema kept_;
  std::vector<Run> runs_;
};

}  // namespace lanewise::ops
