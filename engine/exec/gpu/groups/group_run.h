#pragma once

#include <optional>
#include <string>

#include "exec/gpu/branch/branch_run.h"
#include "exec/gpu/collect/collect.h"
#include "exec/gpu/groups/slot_run.h"

namespace lanewise::exec {

/// Groups of rows, batch by batch: a table in the device's memory for each batch, whose groups come to the
/// host; where there was more than one batch, the host puts them together.
class GroupRun {
 public:
  GroupRun(const DeviceSink& sink, const Options& options, Accelerator& gpu,
           Destination to = Destination::kHost);

  /// Groups the current batch, which may be the only one. Throws DeviceFull where there is no room for a
  /// table, UserError where a sum overflows.
  void take(BranchRun& run, bool only);
  /// Rows so far.
  uint64_t came() const { return came_; }
  /// What the sink gives; once.
  Table finish(const Schema& output);
  /// All of it, where it stayed on the device.
  std::vector<arrow::DeviceBatch> take_kept();

 private:
  /// What a kernel puts into a table.
  struct Rows {
    std::string kernel;
    uint64_t count;
    uint64_t bytes;                  // that are read
    gpu::cuda::Address records = 0;  // of rows by parts
    uint64_t rows() const { return count; }
  };
  void fill(BranchRun& run);
  void make_table(BranchRun& run, uint64_t slots, uint64_t rows);
  void clear();
  bool fill(BranchRun& run, uint64_t slots, const Rows& from);
  bool fill(BranchRun& run, uint64_t slots, SlotRun& from);
  template <class From>
  void grow(BranchRun& run, uint64_t slots, From&& from);
  bool fill_by_parts(BranchRun& run);
  bool fits();

  const DeviceSink& sink_;
  const Options& options_;
  Accelerator& gpu_;
  uint64_t slots_;            // of the table, as far as is known by now
  bool parts_fit_ = true;     // there was memory for records
  gpu::DeviceBuffer table_;   // of the current batch
  gpu::DeviceBuffer events_;  // a GroupOutcome
  kernel::GroupOutcome outcome_{};
  kernel::Job job_{};
  Table partial_;
  const Destination to_;  // of the only batch
  std::vector<arrow::DeviceBatch> kept_;
  int batches_ = 0;
  std::optional<uint64_t> values_;  // of the only batch, where they are only counted
  uint64_t came_ = 0;
};

}  // namespace lanewise::exec
