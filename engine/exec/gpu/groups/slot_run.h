#pragma once

#include <functional>

#include "exec/gpu/branch/branch_run.h"
#include "exec/gpu/branch/row_list.h"
#include "exec/gpu/groups/any_slots-inl.h"

namespace lanewise::exec {

/// The current batch's remaining rows as Slots, some at a time, which put_slots_kernel() puts
/// into tables: for queries whose own kernel of groups is still compiled.
class SlotRun {
 public:
  /// Filters by the last stage.
  SlotRun(BranchRun& run, const Options& options, Accelerator& gpu);

  uint64_t rows() const { return list_.count; }
  /// Puts all of them into the table of this job (see JobLayout), some at a time as long as it `fits`.
  /// Whether all did. Throws DeviceFull.
  bool put(const kernel::Job& table, const std::function<bool()>& fits);

 private:
  BranchRun& run_;
  const Options& options_;
  Accelerator& gpu_;
  const kernel::SlotShape shape_;
  const RowList list_;
};

}  // namespace lanewise::exec
