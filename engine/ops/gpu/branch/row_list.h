#pragma once

#include <cstdint>

#include "ops/gpu/branch/branch_run.h"

namespace lanewise::ops {

/// The rows of a list in device memory.
struct RowList {
  gpu::DeviceBuffer rows;  ///< u32
  uint64_t count = 0;
};
/// The set bits of the bitmap of `rows` bits, ascending. Throws DeviceFull.
RowList list_rows(BranchRun& run, Accelerator& gpu, gpu::cuda::Address bitmap, uint64_t rows);
/// How many bits of it are set. Throws DeviceFull.
uint64_t count_rows(BranchRun& run, Accelerator& gpu, gpu::cuda::Address bitmap, uint64_t rows);
/// Filters by the last stage and lists what it leaves; of all rows the list itself is not needed.
RowList list_left(BranchRun& run, Accelerator& gpu);

/// Tiles of so many that `count` need.
constexpr uint64_t tiles_of(uint64_t count, uint64_t tile) { return (count + tile - 1) / tile; }

}  // namespace lanewise::ops
