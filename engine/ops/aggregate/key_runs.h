#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ops/aggregate/accumulators/accumulator.h"
#include "primitives/groups/grouping.h"

namespace lanewise::ops {

/// The keys numbered by one thread, and the running values of its aggregates.
struct KeyRun {
  std::unique_ptr<Grouping> keys;
  std::vector<std::unique_ptr<Accumulator>> accumulators;
  Partitions partitions;  ///< kPartitionBits of them; made for a merge

  /// Prepares the run for a merge by partitions. `start` makes an empty run with the same aggregates.
  void arrange(const std::function<KeyRun()>& start);
};

/// Runs are merged by partitions. Fewer, larger partitions are consecutive ones of these.
inline constexpr int kPartitionBits = 11;

/// Decides when a thread ends a run. A table with more keys than fit a core's cache is slow, and rows whose
/// keys rarely repeat gain nothing from it: they go into runs of the cache's size, which are merged partition
/// by partition. If most keys repeat, all rows stay in one table, whose size only the memory limits.
class RunLimit {
 public:
  /// Called after `rows` more rows, see number_keys(); the run has `keys` keys. True: the run ends here.
  bool reached(size_t rows, uint32_t keys, MemoryBudget* budget);
  /// Whether keys repeat so rarely that looking them up is not worthwhile.
  bool mostly_new() const { return mostly_new_; }
  /// The estimated total number of keys; 0 while runs end.
  size_t expected_keys() const { return one_table_ ? expected_ : 0; }

 private:
  bool one_table_ = false, mostly_new_ = false;
  size_t expected_ = 0;
  size_t rows_in_run_ = 0, rows_ = 0;
};

/// groups[row] = the number of the row's key in `keys`, which stop growing at the limit. Equal keys have one
/// number, unless the limit says that looking them up is not worthwhile. Where most rows have the key of the
/// row before, the others are looked up. Returns how many rows were: what the limit counts.
uint32_t number_keys(Grouping& keys, const RunLimit& limit, std::span<const Vector> values,
                     const ActiveSet& rows, uint32_t* groups);

/// The distinct rows of some columns, gathered by one thread.
class DistinctRows {
 public:
  DistinctRows(const std::vector<Type>& types, MemoryBudget* budget, std::string_view what);
  void add(std::span<const Vector> values, const ActiveSet& rows);
  /// Returns the runs; no add() may follow.
  std::vector<KeyRun> take();

 private:
  MemoryBudget* budget_;
  std::string_view what_;
  Allocations allocations_;
  Grouping keys_;
  RunLimit limit_;
  std::vector<KeyRun> runs_;
};

/// The number of partition bits for this many keys in all runs, so that the table of each partition
/// stays in a core's cache.
int merge_bits(size_t keys);

/// Moves finished runs to temporary files if memory is short.
void spill_if_short(Allocations& runs, MemoryBudget* budget);

/// Merges runs in parallel, by 2^bits partitions of their keys: calls body(partition, merged) for each.
/// `merged` was made by `start` and has the keys and running values of all runs. Throws CancelledError.
void merge_partitions(std::span<KeyRun> runs, int bits, const std::function<KeyRun()>& start,
                      const Cancellation* cancellation, const std::function<void(size_t, KeyRun&)>& body);

}  // namespace lanewise::ops
