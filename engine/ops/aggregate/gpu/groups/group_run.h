#pragma once

#include <optional>
#include <string>

#include "ops/aggregate/gpu/groups/group_plan.h"
#include "ops/aggregate/gpu/groups/groups-inl.h"
#include "ops/aggregate/gpu/groups/slot_run.h"
#include "ops/collect/gpu/collect.h"
#include "ops/gpu/branch/branch_run.h"

namespace lanewise::ops {

/// Groups rows batch by batch. Each batch has a table in device memory, whose groups are copied to the host.
/// The host merges the groups of several batches.
class GroupRun : public SinkRun {
 public:
  /// The plan must outlive it.
  GroupRun(const GroupPlan& plan, const DeviceSink::Setting& setting);

  void take(BranchRun& run, bool only) override;
  uint64_t came() const override { return came_; }
  SinkResult finish(const Schema& output) override;

 private:
  /// Rows that a kernel puts into a table.
  struct Rows {
    std::string kernel;
    uint64_t count;
    uint64_t bytes;                  // bytes that the kernel reads
    gpu::cuda::Address records = 0;  // Records, if rows are grouped by parts
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
  std::vector<arrow::DeviceBatch> take_kept();

  const GroupPlan& plan_;
  const Options& options_;
  Accelerator& gpu_;
  uint64_t slots_;            // estimated size of the table
  bool parts_fit_ = true;     // there was enough memory for Records
  gpu::DeviceBuffer table_;   // of the current batch
  gpu::DeviceBuffer events_;  // a GroupOutcome
  kernel::GroupOutcome outcome_{};
  kernel::Job job_{};
  Table partial_;
  const Destination to_;  // of the only batch
  std::vector<arrow::DeviceBatch> kept_;
  int batches_ = 0;
  std::optional<uint64_t> values_;  // number of values of the only batch, if only this is needed
  uint64_t came_ = 0;
};

}  // namespace lanewise::ops
