#pragma once

#include <functional>

#include "ops/aggregate/gpu/groups/any_slots-inl.h"
#include "ops/gpu/branch/branch_run.h"
#include "ops/gpu/branch/row_list.h"

namespace lanewise::ops {

/// Makes Slots of the current batch's remaining rows, some at a time; put_slots_kernel() puts them into a
/// table. For queries whose own `group` kernel is still being compiled.
class SlotRun {
 public:
  /// Runs the last stage's filter.
  SlotRun(BranchRun& run, const Options& options, Accelerator& gpu);

  uint64_t rows() const { return list_.count; }
  /// Puts the rows into the job's table (see JobLayout), some at a time, while `fits()` is true. Returns true
  /// if all rows fit. Throws DeviceFull.
  bool put(const kernel::Job& table, const std::function<bool()>& fits);

 private:
  BranchRun& run_;
  const Options& options_;
  Accelerator& gpu_;
  const kernel::SlotShape shape_;
  const RowList list_;
};

}  // namespace lanewise::ops
