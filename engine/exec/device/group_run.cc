#include "exec/device/group_run.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace lanewise::exec {

namespace {

constexpr std::string_view kWhat = "Aggregation (GROUP BY)";
/// Slots of the first table, several for each thread that may bring a group at once; a table that turns out
/// to be full makes place for one of kGrowth times as many, and the batch begins again: what was lost is a
/// small part of what follows.
constexpr uint64_t kFirstSlots = uint64_t{1} << 20;
constexpr uint64_t kGrowth = 8;
/// Slots that are looked at for a key before a table counts as full.
constexpr uint64_t kProbes = 256;

}  // namespace

GroupRun::GroupRun(const DeviceSink& sink, const Options& options, Accelerator& gpu)
    : sink_(sink), options_(options), gpu_(gpu), slots_(kFirstSlots), partial_{sink.groups->partial(), {}} {}

kernel::GroupOutcome GroupRun::outcome() {
  if (options_.cancellation != nullptr) gpu_.stream.synchronize(*options_.cancellation);
  kernel::GroupOutcome outcome;
  gpu_.staging.download(&outcome, events_.address(), sizeof(outcome), gpu_.stream);
  return outcome;
}

void GroupRun::fill(BranchRun& run) {
  const SlotLayout& layout = run.writer().slots();
  const uint64_t enough = std::bit_ceil(std::max<uint64_t>(run.rows() * 2, 64));
  for (uint64_t slots = std::min(slots_, enough);; slots = std::min(slots * kGrowth, enough)) {
    table_.reset();
    table_ = run.allocate(slots * layout.far_stride(), kWhat);
    job_ = run.job();
    job_.words[KernelWriter::kOut] = table_.address();
    job_.words[KernelWriter::kSlots] = slots;
    job_.words[KernelWriter::kProbes] = slots == enough ? slots : kProbes;
    job_.words[KernelWriter::kEvents] = events_.address();
    do {
      gpu_.stream.fill(table_.address(), 0, table_.size());
      gpu_.stream.fill(events_.address(), 0, events_.size());
    } while (!run.try_rows("group", job_, run.rows(),
                           {.threads = kernel::kGroupThreads,
                            .shared = layout.shared_bytes(),
                            .bytes = run.bytes_of_last_stage()}));
    if (outcome().full == 0) {
      slots_ = std::max(slots_, slots);
      return;
    }
    invariant(slots < enough, "a table of twice as many slots as rows has room for each");
  }
}

void GroupRun::take(BranchRun& run) {
  run.narrow(false);
  if (!events_) events_ = run.allocate(sizeof(kernel::GroupOutcome), kWhat);
  fill(run);
  const uint64_t slots = job_.words[KernelWriter::kSlots];
  const device::DeviceBuffer used = run.allocate(bits::words(slots) * sizeof(uint64_t), kWhat);
  job_.words[KernelWriter::kRows] = slots;
  job_.words[KernelWriter::kActive] = used.address();
  run.launch_rows("mark_groups", job_, slots);

  Collector collector(sink_, sink_.groups->partial(), options_, gpu_);
  collector.take(run, {slots, used.address(), job_});
  const kernel::GroupOutcome seen = outcome();
  if (seen.overflow != 0) throw UserError("Overflow in HUGEINT addition");
  came_ += seen.came;
  std::vector<Batch> batches = collector.take();
  batches_ += batches.empty() ? 0 : 1;
  std::move(batches.begin(), batches.end(), std::back_inserter(partial_.batches));
  table_.reset();
}

Table GroupRun::finish(const Schema& output) {
  const GroupPlan& plan = *sink_.groups;
  const bool merges = batches_ > 1 || plan.needs_merge();
  if (merges) partial_ = plan.merged(std::move(partial_), batches_ > 1, options_);
  return plan.finish(partial_, merges, output, options_.budget);
}

}  // namespace lanewise::exec
