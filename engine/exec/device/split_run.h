#pragma once

#include <vector>

#include "data/device_column.h"
#include "exec/device/branch_run.h"
#include "exec/device/split-inl.h"

namespace lanewise::exec {

/// Rows in the order of the parts of a lookup.
struct SplitRows {
  uint64_t rows;
  std::vector<DeviceColumn> columns;
};

/// Puts the columns into that order, by the kernels of KernelWriter::split_text(): `launch(name, rows,
/// arguments...)` launches one over so many rows, `allocate(bytes)` gives memory. They have a fixed width and
/// no NULL. `all`: the kernels leave no row out. Throws MemoryError.
template <class Allocate, class Launch>
SplitRows split_rows(const std::vector<const DeviceColumn*>& columns, uint64_t rows, bool all,
                     kernel::Job job, Accelerator& gpu, Allocate allocate, Launch launch) {
  const device::DeviceBuffer counts = allocate((kernel::kLookupParts + 1) * sizeof(uint32_t));
  gpu.stream.fill(counts.address(), 0, counts.size());
  job.words[KernelWriter::kOut] = counts.address();
  launch("count_parts", rows, job);
  launch("start_parts", uint64_t{1}, job);
  const device::cuda::Address sum = counts.address() + kernel::kLookupParts * sizeof(uint32_t);
  SplitRows split{all ? rows : fetch_one<uint32_t>(gpu, sum), {}};
  kernel::MovedColumns to{};
  for (const DeviceColumn* const column : columns) {
    const auto bytes = static_cast<kernel::u32>(width(column->type.physical()));
    DeviceColumn& moved = split.columns.emplace_back();
    moved.type = column->type;
    moved.rows = static_cast<int64_t>(split.rows);
    moved.values = allocate(split.rows * bytes);
    to.columns[to.count++] = {column->values.address(), moved.values.address(), bytes};
  }
  launch("split_rows", rows, job, to);
  return split;
}

}  // namespace lanewise::exec
