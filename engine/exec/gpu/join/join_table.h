#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/gpu/device_column.h"
#include "exec/gpu/device/accelerator.h"
#include "exec/gpu/device/kernel_clock.h"
#include "exec/gpu/join/join-inl.h"
#include "exec/pipeline/options.h"
#include "ops/join/build.h"

namespace lanewise::exec {

/// The build side of a join in a device's memory: columns, and a lookup from keys to rows (join-inl.h). Rows
/// of equal keys are runs: the lookup has one of them, which stands for the run, or is an array of the runs.
class JoinTable {
 public:
  using ColumnPtr = std::shared_ptr<const DeviceColumn>;
  /// `columns` are those that the join keeps, then its keys. Fills the lookup. Throws MemoryError,
  /// expr::NotOnDevice.
  JoinTable(const plan::Join& join, std::vector<ColumnPtr> columns, uint64_t rows, const Options& options,
            Accelerator& gpu, DeviceTimes& times);
  /// The same of a build side in the host's memory.
  JoinTable(const plan::Join& join, const ops::Build& build, const Options& options, Accelerator& gpu,
            DeviceTimes& times);

  const Accelerator& place() const { return gpu_; }
  uint64_t rows() const { return rows_; }
  /// Among those that the join keeps, a row is what the lookup finds, which may be a place for each number of
  /// the keys' range. After the keys: the marks.
  const DeviceColumn& column(size_t place) const {
    return place < columns_.size() ? *columns_[place] : marks_;
  }
  /// A column that the join keeps; after those come the marks.
  const DeviceColumn& kept_or_marks(size_t place) const {
    return place + keys_ < columns_.size() ? *columns_[place] : marks_;
  }
  const kernel::Lookup& lookup() const { return lookup_; }
  /// Where what a probe reads here is more than a cache holds, rows that probe are split by parts of the
  /// lookup first: so many bits of a place in it are its place in a part.
  std::optional<uint64_t> part_shift() const { return part_shift_; }
  /// "15000000 rows, ranks of 60000000 numbers, 14.3 MiB: they ascend"
  std::string describe() const;

  /// Whether no key has two rows, or it does not matter. Else what the lookup finds are runs.
  bool unique() const { return !runs_; }
  /// Whether the lookup finds values of the only column that is kept, instead of rows. Each key has one.
  bool holds_values() const { return holds_values_; }
  uint32_t longest_run() const { return longest_run_; }
  /// Whether all runs are short, on average at least two thirds of the longest.
  bool has_short_runs() const { return has_short_runs_; }
  bool has_null_keys() const { return has_null_keys_; }
  /// Of its only key, where that is an integer, a date and the like, and NULL finds no row.
  const std::optional<ops::KeyRange>& key_range() const { return key_range_; }
  /// Whether rows were found, a column; of joins that need that.
  const DeviceColumn& marks() const { return marks_; }
  /// kernel::Matches by what the lookup finds: rows that stand for runs, or the runs' numbers.
  gpu::cuda::Address runs() const { return runs_.address(); }
  /// The rows in the order of runs; absent: columns that the join keeps are in that order.
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
  std::optional<ops::KeyRange> key_range_;
  kernel::Lookup lookup_ = {};
  ops::LookupReason reason_ = {};
  std::optional<uint64_t> part_shift_;
  gpu::DeviceBuffer table_, runs_, order_;
};

}  // namespace lanewise::exec
