#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/gpu/device_column.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/gpu/device/kernel_clock.h"
#include "ops/join/build.h"
#include "ops/join/gpu/join-inl.h"
#include "ops/run/options.h"

namespace lanewise::ops {

/// The build side of a join in a device's memory: columns, and a lookup from keys to rows (join-inl.h). Rows
/// with equal keys form a run; the lookup finds one row that represents the run, or the run's number.
class JoinTable {
 public:
  using ColumnPtr = std::shared_ptr<const DeviceColumn>;
  /// `columns`: first those that the join keeps, then its keys. Fills the lookup. Throws MemoryError,
  /// expr::NotOnDevice.
  JoinTable(const plan::Join& join, std::vector<ColumnPtr> columns, uint64_t rows, const Options& options,
            Accelerator& gpu, DeviceTimes& times);
  /// The same for a build side in the host's memory.
  JoinTable(const plan::Join& join, const Build& build, const Options& options, Accelerator& gpu,
            DeviceTimes& times);

  const Accelerator& gpu() const { return gpu_; }
  uint64_t rows() const { return rows_; }
  /// Kept columns are read with `row`, the lookup's result: a row or an index into the key range. The marks
  /// come after the keys.
  const DeviceColumn& column(size_t place) const {
    return place < columns_.size() ? *columns_[place] : marks_;
  }
  /// A column that the join keeps; the marks come directly after those.
  const DeviceColumn& kept_or_marks(size_t place) const {
    return place + keys_ < columns_.size() ? *columns_[place] : marks_;
  }
  const kernel::Lookup& lookup() const { return lookup_; }
  /// If probes read more of this table than a cache holds, their rows are first partitioned by parts of the
  /// lookup. A part has 2^part_shift() places.
  std::optional<uint64_t> part_shift() const { return part_shift_; }
  /// "15000000 rows, ranks of 60000000 numbers, 14.3 MiB: they ascend"
  std::string describe() const;

  /// True if each key has at most one relevant row; otherwise the lookup finds runs.
  bool unique() const { return !runs_; }
  /// Whether the lookup finds values of the only kept column instead of rows. Each key has one value.
  bool holds_values() const { return holds_values_; }
  uint32_t longest_run() const { return longest_run_; }
  /// Whether all runs are short, and their average length is at least two thirds of the longest.
  bool has_short_runs() const { return has_short_runs_; }
  bool has_null_keys() const { return has_null_keys_; }
  /// The range of the only key, if it is an integer, a date or similar, and NULL does not match.
  const std::optional<KeyRange>& key_range() const { return key_range_; }
  /// A column: whether each row was found; only for joins that need it.
  const DeviceColumn& marks() const { return marks_; }
  /// kernel::Matches, indexed by the lookup's result: rows that represent runs, or the runs' numbers.
  gpu::cuda::Address runs() const { return runs_.address(); }
  /// The rows in the order of runs; 0: the columns that the join keeps are in that order already.
  gpu::cuda::Address order() const { return order_.address(); }

 private:
  class Filling;

  Accelerator& gpu_;
  uint64_t rows_;
  size_t keys_;
  std::vector<ColumnPtr> columns_;
  DeviceColumn marks_;
  bool has_null_keys_ = false;
  bool holds_values_ = false;
  uint32_t longest_run_ = 1;
  bool has_short_runs_ = false;
  std::optional<KeyRange> key_range_;
  kernel::Lookup lookup_ = {};
  LookupReason reason_ = {};
  std::optional<uint64_t> part_shift_;
  gpu::DeviceBuffer table_, runs_, order_;
};

/// Whether the keys of a build side repeat, as far as that is known: either may be null.
bool keys_repeat(const Build* build, const JoinTable* on_device);

}  // namespace lanewise::ops
