#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/chunk.h"
#include "ops/sort_columns.h"
#include "primitives/groups/grouping.h"

namespace lanewise::ops {

/// For windows of which only the first rows of each partition are needed (top-n per group): finds rows that
/// follow enough others of their partition, so that they need not be sorted. Each thread has one; it compares
/// the first key of the order only, so it keeps more than is needed. It gives up where nearly every row is a
/// partition, and with too many of them.
class LeadingRows {
 public:
  /// The first `partition_keys` keys of `columns` are the partition, the next one is the first of the order.
  LeadingRows(const SortColumns& columns, size_t partition_keys, uint32_t needed, MemoryBudget* budget);

  /// Whether it can compare keys of this type.
  static bool can_compare(Type type) { return type.is_string() || key_width(type) == 1; }

  /// The columns that keep() adds: the row's partition and its rank.
  static void add_fields(Schema& schema);
  /// The rows that may be among the first ones of this thread. `values` are columns.of(chunk); two are added.
  ActiveSet keep(std::vector<Vector>& values, const ActiveSet& rows);

  /// From now on, the first rows are those of all threads.
  static void combine(std::span<LeadingRows* const> threads);
  /// Whether a row with these values of the added columns may be among the first ones.
  bool may_lead(uint32_t partition, uint64_t rank) const {
    return partition >= ranks_.size() / needed_ || rank <= ranks_[size_t{partition} * needed_];
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;  // partition

  /// The key as a number: rows are ordered like these, at least where they differ in it.
  const uint64_t* ranks_of(const Vector& key, const ActiveSet& rows) const;
  /// Adds partitions with no ranks.
  void resize(size_t partitions);

  const SortColumns& columns_;
  const size_t partition_keys_;
  const uint32_t needed_;
  MemoryBudget* const budget_;
  Grouping partitions_;
  BufferBuilder<uint64_t> ranks_;  // the `needed_` lowest of each partition, as a heap: the highest first
  uint64_t rows_ = 0;
  bool hopeless_ = false;
};

}  // namespace lanewise::ops
