#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ops/sort_columns.h"

namespace lanewise::ops {

/// The last row that a top-n is known to need: rows after it are not in the result. Shared by
/// threads; it only becomes tighter.
class Bound {
 public:
  explicit Bound(const SortColumns& columns) : columns_(columns) {}

  /// Row `row` of `batch`, whose columns are SortColumns::schema().
  void tighten(const Batch& batch, int64_t row, uint64_t order);
  /// A condition of rows before the bound, over the sort's columns, for chunks of this order; null: all
  /// rows may be before it.
  ExprPtr before(uint64_t order) const;

 private:
  struct Row {
    std::vector<Value> keys;
    uint64_t order;
  };
  bool is_before(const Row& a, const Row& b) const;

  const SortColumns& columns_;
  mutable std::mutex mutex_;
  Row row_;
  ExprPtr up_to_;   // the rows before the bound or equal to it
  ExprPtr before_;  // only those before it
};

}  // namespace lanewise::ops
