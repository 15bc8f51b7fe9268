#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ops/aggregate/accumulator.h"
#include "primitives/groups/grouping.h"

namespace lanewise::ops {

/// Keys that one thread numbered, and the running values of its aggregates for them.
struct KeyRun {
  std::unique_ptr<Grouping> keys;
  std::vector<std::unique_ptr<Accumulator>> accumulators;
  Partitions partitions;  ///< by kPartitionBits; made for a merge

  /// Prepares the run for a merge by partitions. `start` makes an empty run with the same aggregates.
  void arrange(const std::function<KeyRun()>& start);
};

/// The partitions in which runs can be merged. Fewer, larger ones are consecutive ones of these.
inline constexpr int kPartitionBits = 11;

/// Decides when a thread ends a run. A table of more keys than a core's cache holds is slow, and rows that
/// rarely meet a key again gain nothing from it: they go into runs of a cache's size, to be merged partition
/// by partition. Rows that meet most of their keys again stay in one table, whatever its size.
class RunLimit {
 public:
  /// `rows` more were taken; the run has `keys` keys. True: the run ends here.
  bool reached(size_t rows, uint32_t keys);
  /// Whether so few of a run's rows meet a key again that looking for it is not worth it.
  bool mostly_new() const { return mostly_new_; }
  /// The keys there are in all, estimated; 0 while runs end.
  size_t expected_keys() const { return one_table_ ? expected_ : 0; }

 private:
  bool one_table_ = false, mostly_new_ = false;
  size_t expected_ = 0;
  size_t rows_in_run_ = 0, rows_ = 0;
};

/// groups[row] = the number of the row's key in `keys`, which end at the limit. Rows with one key have one
/// number, unless the limit says that looking for it is not worth it.
inline void number_keys(Grouping& keys, const RunLimit& limit, std::span<const Vector> values,
                        const ActiveSet& rows, uint32_t* groups) {
  limit.mostly_new() ? keys.append_rows(values, rows, groups) : keys.find_or_add(values, rows, groups);
}

/// The distinct rows of some columns, gathered by one thread.
class DistinctRows {
 public:
  DistinctRows(const std::vector<Type>& types, MemoryBudget* budget, std::string_view what);
  void add(std::span<const Vector> values, const ActiveSet& rows);
  /// The runs; no add() follows.
  std::vector<KeyRun> take();

 private:
  Grouping keys_;
  RunLimit limit_;
  std::vector<KeyRun> runs_;
};

/// For as many keys in all runs: the bits by which partitions are distinguished, so that the table of each
/// stays in a core's cache.
int merge_bits(size_t keys);

/// Merges runs in parallel, by 2^bits partitions of their keys: calls body(partition, merged) for each, where
/// `merged` is what `start` made, with the keys and running values of all runs. Throws CancelledError.
void merge_partitions(std::span<KeyRun> runs, int bits, const std::function<KeyRun()>& start,
                      const Cancellation* cancellation, const std::function<void(size_t, KeyRun&)>& body);

}  // namespace lanewise::ops
