#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ops/sort_columns.h"

namespace lanewise::ops {

/// The last row that a top-n needs, as far as is known: rows after it are not part of the result. Shared by
/// threads; it only comes closer.
class Bound {
 public:
  explicit Bound(const SortColumns& columns) : columns_(columns) {}

  /// Row `row` of `batch`, whose columns are SortColumns::schema().
  void tighten(const Batch& batch, int64_t row, uint64_t order);
  /// What holds for rows before the bound, over the sort's columns, if their chunk has this order; null: all
  /// rows may be.
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
  ExprPtr up_to_;   // the rows before the bound, and those that are equal to it
  ExprPtr before_;  // without the latter
};

}  // namespace lanewise::ops
