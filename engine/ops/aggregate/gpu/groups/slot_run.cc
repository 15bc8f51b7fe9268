#include "ops/aggregate/gpu/groups/slot_run.h"

#include <algorithm>

#include "ops/aggregate/gpu/groups/group_kernels.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kFillingSlots = "Aggregation (GROUP BY), rows as slots";
/// Bytes of slots that are made before they are put into a table; fewer where memory is short.
constexpr uint64_t kRoom = uint64_t{1} << 31, kFewestSlots = 1 << 14;

}  // namespace

SlotRun::SlotRun(BranchRun& run, const Options& options, Accelerator& gpu)
    : run_(run),
      options_(options),
      gpu_(gpu),
      shape_(*group_kernels(run).slots().shape()),
      list_(list_left(run, gpu)) {}

bool SlotRun::put(const kernel::Job& table, const std::function<bool()>& fits) {
  // Strings that the kernel makes are those of one launch.
  const bool at_once = run_.makes_texts("make_slots");
  uint64_t room = std::max<uint64_t>(at_once ? list_.count : std::min(list_.count, kRoom / shape_.bytes), 1);
  gpu::DeviceBuffer slots;
  while (!slots) {
    try {
      slots = run_.allocate(room * shape_.bytes, kFillingSlots);
    } catch (const DeviceFull&) {
      if (at_once || room <= kFewestSlots) throw;
      room /= 2;
    }
  }
  const auto built = gpu_.modules.get(put_slots_kernel());
  const gpu::Kernel put = built->module.kernel("put_slots");
  for (uint64_t first = 0; first < list_.count; first += room) {
    if (options_.cancellation != nullptr) options_.cancellation->check();
    const uint64_t rows = std::min(room, list_.count - first);
    kernel::Job job = table;
    job.words[codegen::JobLayout::kRows] = rows;
    job.words[codegen::JobLayout::kList] = list_.rows ? list_.rows.address() + first * sizeof(uint32_t) : 0;
    job.words[codegen::JobLayout::kFrom] = first;
    job.words[codegen::JobLayout::kRecords] = slots.address();
    run_.launch_rows("make_slots", job, rows, {.bytes = run_.bytes_of_last_kernel() / list_.count * rows});
    kernel::SlotsJob to{.rows = rows,
                        .from = slots.address(),
                        .table = table.words[codegen::JobLayout::kOut],
                        .slots = table.words[codegen::JobLayout::kSlots],
                        .probes = table.words[codegen::JobLayout::kProbes],
                        .outcome = table.words[codegen::JobLayout::kEvents],
                        .shape = shape_};
    run_.launch_resident(put, "put_slots", rows,
                         {.threads = kernel::kGroupThreads,
                          .shared = group_kernels(run_).slots().shared_bytes(),
                          .bytes = rows * shape_.bytes},
                         to);
    if (!fits()) return false;
  }
  return true;
}

}  // namespace lanewise::ops
