#pragma once

#include <optional>
#include <vector>

#include "codegen/job_layout.h"
#include "data/gpu/device_column.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/join/gpu/split-inl.h"

namespace lanewise::ops {

/// Rows in the order of the parts of a lookup.
struct SplitRows {
  uint64_t rows;
  std::vector<DeviceColumn> columns;
  gpu::DeviceBuffer ends;  ///< where the rows of each part end
};

/// New columns for the values of others, and the addresses of both.
struct MovedTo {
  std::vector<DeviceColumn> columns;
  kernel::MovedColumns addresses = {};
};

/// Room for so many rows of each of the columns, which have a fixed width and no NULL. `allocate(bytes)`
/// gives memory. Throws MemoryError.
template <class Allocate>
MovedTo make_room(const std::vector<const DeviceColumn*>& columns, uint64_t rows, Allocate allocate) {
  MovedTo to;
  for (const DeviceColumn* const column : columns) {
    const auto bytes = static_cast<kernel::u32>(width(column->type.physical()));
    DeviceColumn& moved = to.columns.emplace_back();
    moved.type = column->type;
    moved.rows = static_cast<int64_t>(rows);
    moved.values = allocate(rows * bytes);
    to.addresses.columns[to.addresses.count++] = {column->values.address(), moved.values.address(), bytes};
  }
  return to;
}

/// How many rows the kernels leave, as far as that is known before.
enum class RowsLeft : uint8_t {
  kAll,
  kUnknown,  ///< the device waits until the host has made room for so many
  kAtMost,   ///< there is room for all, and the device does not wait
};

/// Puts the columns into that order, by the kernels of split_text(): `launch(name, rows,
/// arguments...)` launches one over so many rows, `allocate(bytes)` gives memory. They have a fixed width and
/// no NULL. Given the ends of parts, it splits each of them again. Throws MemoryError.
template <class Allocate, class Launch>
SplitRows split_rows(const std::vector<const DeviceColumn*>& columns, uint64_t rows, RowsLeft left,
                     kernel::Job job, Accelerator& gpu, Allocate allocate, Launch launch,
                     gpu::cuda::Address ends = 0) {
  const uint32_t parts = ends == 0 ? kernel::kLookupParts : kernel::kSlices;
  gpu::DeviceBuffer counts = allocate((parts + 1) * sizeof(uint32_t));
  gpu.stream.fill(counts.address(), 0, counts.size());
  job.words[codegen::JobLayout::kOut] = counts.address();
  launch("count_parts", rows, job, ends);
  launch("start_parts", uint64_t{1}, job, parts);
  const gpu::cuda::Address sum = counts.address() + parts * sizeof(uint32_t);
  std::optional<gpu::Event> summed;
  if (left == RowsLeft::kAtMost) summed.emplace(gpu.device).record(gpu.stream);
  uint64_t count = left == RowsLeft::kUnknown ? fetch_one<uint32_t>(gpu, sum) : rows;
  MovedTo to = make_room(columns, count, allocate);
  launch("split_rows", rows, job, ends, to.addresses);
  if (summed) {
    gpu.copies.wait(*summed);
    count = fetch_one<uint32_t>(gpu, sum, gpu.copies);
    for (DeviceColumn& column : to.columns) column.rows = static_cast<int64_t>(count);
  }
  return {count, std::move(to.columns), std::move(counts)};
}

}  // namespace lanewise::ops
