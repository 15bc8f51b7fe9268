#include "exec/device/slot_run.h"

#include <algorithm>

namespace lanewise::exec {

namespace {

constexpr std::string_view kWhat = "Aggregation (GROUP BY), rows as slots";
/// Of slots that are made before they are put into a table.
constexpr uint64_t kRoom = uint64_t{1} << 31;

}  // namespace

SlotRun::SlotRun(BranchRun& run, const Options& options, Accelerator& gpu)
    : run_(run), options_(options), gpu_(gpu), shape_(*run.writer().slots().shape()) {
  run.filter_by_last();
  if (run.active() != 0) list_ = list_rows(run, gpu, run.active(), run.rows());
  rows_ = run.active() != 0 ? list_.count : run.rows();
}

bool SlotRun::put(const kernel::Job& table, const std::function<bool()>& fits) {
  // Texts that the kernel makes are those of one launch.
  const uint64_t most = run_.makes_texts("make_slots") ? rows_ : kRoom / shape_.bytes;
  const uint64_t room = std::max<uint64_t>(std::min(rows_, most), 1);
  const device::DeviceBuffer slots = run_.allocate(room * shape_.bytes, kWhat);
  const auto built = gpu_.modules.get(put_slots_kernel());
  const device::Kernel put = built->module.kernel("put_slots");
  for (uint64_t first = 0; first < rows_; first += room) {
    if (options_.cancellation != nullptr) options_.cancellation->check();
    const uint64_t rows = std::min(room, rows_ - first);
    kernel::Job job = table;
    job.words[KernelWriter::kRows] = rows;
    job.words[KernelWriter::kList] = list_.rows ? list_.rows.address() + first * sizeof(uint32_t) : 0;
    job.words[KernelWriter::kFrom] = first;
    job.words[KernelWriter::kRecords] = slots.address();
    run_.launch_rows("make_slots", job, rows, {.bytes = run_.bytes_of_last_stage() * rows / rows_});
    kernel::SlotsJob to{.rows = rows,
                        .from = slots.address(),
                        .table = table.words[KernelWriter::kOut],
                        .slots = table.words[KernelWriter::kSlots],
                        .probes = table.words[KernelWriter::kProbes],
                        .outcome = table.words[KernelWriter::kEvents],
                        .shape = shape_};
    run_.launch_resident(put, "put_slots", rows,
                         {.threads = kernel::kGroupThreads,
                          .shared = run_.writer().slots().shared_bytes(),
                          .bytes = rows * shape_.bytes},
                         to);
    if (!fits()) return false;
  }
  return true;
}

}  // namespace lanewise::exec
