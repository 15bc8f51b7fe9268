#pragma once

#include "exec/gpu/branch/branch_run.h"

namespace lanewise::exec {

/// Rows as Records (see GroupKernels::parts) in device memory, those of a part of a table of groups one after
/// the other.
struct SortedRecords {
  gpu::DeviceBuffer records;
  uint64_t rows = 0;
};

/// The current batch's rows that are left, for a table of `slots` or so. Other slots are right, too, and take
/// more time. Calls run.filter_by_last(). Throws MemoryError, DeviceError where no
/// plug-in sorts.
SortedRecords sort_by_parts(BranchRun& run, uint64_t slots, const Options& options, Accelerator& gpu);

}  // namespace lanewise::exec
