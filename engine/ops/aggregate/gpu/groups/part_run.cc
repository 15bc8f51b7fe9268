#include "ops/aggregate/gpu/groups/part_run.h"

#include <bit>

#include "gpu/sort/sort.h"
#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/gpu/branch/row_list.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kParts = "Aggregation (GROUP BY), by parts";

uint64_t shift_of(uint64_t slots) {
  const auto bits = static_cast<uint64_t>(std::bit_width(slots) - 1);
  return bits < kernel::kPartBits ? 0 : bits - kernel::kPartBits;
}

}  // namespace

SortedRecords sort_by_parts(BranchRun& run, uint64_t slots, const Options& options, Accelerator& gpu) {
  run.add_kernels(group_kernels(run).parts());
  RowList list = list_left(run, gpu);
  const uint64_t rows = list.count;

  const size_t bytes = group_kernels(run).record_bytes();
  gpu::DeviceBuffer parts[2], records[2];
  for (const size_t place : {0, 1}) {
    parts[place] = run.allocate(rows * sizeof(uint32_t), kParts);
    records[place] = run.allocate(rows * bytes, kParts);
  }
  kernel::Job job = run.job();
  job.words[codegen::JobLayout::kRows] = rows;
  job.words[codegen::JobLayout::kList] = list.rows.address();
  job.words[codegen::JobLayout::kOut] = parts[0].address();
  job.words[codegen::JobLayout::kRecords] = records[0].address();
  job.words[codegen::JobLayout::kShift] = shift_of(slots);
  run.launch_rows("spread", job, rows, {.bytes = run.bytes_of_last_kernel()});
  list.rows.reset();

  if (options.cancellation != nullptr) options.cancellation->check();
  gpu::SortPairs pairs{{parts[0].address(), parts[1].address()},
                       {records[0].address(), records[1].address()},
                       rows,
                       sizeof(uint32_t)};
  pairs.value_bytes = static_cast<unsigned>(bytes);
  run.clock().time("sort", 4 * rows * (sizeof(uint32_t) + bytes),  // two passes
                   [&] { gpu::Sorter::system().sort(pairs, kernel::kPartBits, gpu.pool, gpu.stream); });
  return {std::move(records[pairs.place]), rows};
}

}  // namespace lanewise::ops
