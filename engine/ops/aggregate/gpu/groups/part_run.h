#pragma once

#include "ops/gpu/branch/branch_run.h"

namespace lanewise::ops {

/// Rows as Records (see GroupKernels::parts) in device memory, sorted by their parts of the table of groups.
struct SortedRecords {
  gpu::DeviceBuffer records;
  uint64_t rows = 0;
};

/// Sorts the current batch's remaining rows for a table of about `slots` slots; tables of other sizes work,
/// but more slowly. Calls run.filter_by_last(). Throws MemoryError, and DeviceError without the sort plug-in.
SortedRecords sort_by_parts(BranchRun& run, uint64_t slots, const Options& options, Accelerator& gpu);

}  // namespace lanewise::ops
