#include "ops/aggregate/gpu/groups/group_run.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "gpu/error.h"
#include "gpu/sort/sort.h"
#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/aggregate/gpu/groups/part_run.h"
#include "ops/collect/gpu/collect.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kGrouping = "Aggregation (GROUP BY)";
/// Slots of the first table, several for each thread that may bring a group at once; a table that turns out
/// to be full makes place for one of kGrowth times as many, and the batch begins again: what was lost is a
/// small part of what follows.
constexpr uint64_t kFirstSlots = uint64_t{1} << 20;
constexpr uint64_t kGrowth = 8;
/// Slots that are looked at for a key before a table counts as full.
constexpr uint64_t kProbes = 256;
/// A first table of groups whose rows come by parts has a slot for so many of them: that is half full where
/// groups have twice as many.
constexpr uint64_t kRowsOfSlot = 8;
/// From so many rows on they are sorted by parts where the first table was lost; of fewer no time is gained
/// that is worth compiling those kernels once.
constexpr uint64_t kManyRows = uint64_t{1} << 24;

bool has_sorter() {
  try {
    gpu::Sorter::system();
    return true;
  } catch (const gpu::DeviceError&) {
    return false;
  }
}

/// Slots in which so many rows find room, whatever groups they are of.
uint64_t enough(uint64_t rows) { return std::bit_ceil(std::max<uint64_t>(rows * 2, 64)); }

}  // namespace

const GroupKernels& group_kernels(const BranchRun& run) {
  return static_cast<const GroupKernels&>(run.sources().sink());
}

GroupRun::GroupRun(const GroupPlan& plan, const DeviceSink::Setting& setting)
    : plan_(plan),
      options_(setting.options),
      gpu_(setting.gpu),
      slots_(kFirstSlots),
      partial_{plan.partial(), {}},
      to_(plan.result_columns() ? destination(setting.goal, true) : Destination::kHost) {}

/// Whether all groups found room in the table.
bool GroupRun::fits() {
  if (options_.cancellation != nullptr) gpu_.stream.synchronize(*options_.cancellation);
  gpu_.staging.download(&outcome_, events_.address(), sizeof(outcome_), gpu_.stream);
  return outcome_.full == 0;
}

/// Makes a table of so many slots, for so many rows.
void GroupRun::make_table(BranchRun& run, uint64_t slots, uint64_t rows) {
  table_.reset();
  table_ = run.allocate(slots * group_kernels(run).slots().far_stride(), kGrouping);
  job_ = run.job();
  job_.words[codegen::JobLayout::kRows] = rows;
  job_.words[codegen::JobLayout::kOut] = table_.address();
  job_.words[codegen::JobLayout::kSlots] = slots;
  job_.words[codegen::JobLayout::kProbes] = slots == enough(rows) ? slots : kProbes;
  job_.words[codegen::JobLayout::kEvents] = events_.address();
}

void GroupRun::clear() {
  gpu_.stream.fill(table_.address(), 0, table_.size());
  gpu_.stream.fill(events_.address(), 0, events_.size());
}

/// Makes a table of so many slots and fills it. False: they were too few.
bool GroupRun::fill(BranchRun& run, uint64_t slots, const Rows& from) {
  make_table(run, slots, from.count);
  job_.words[codegen::JobLayout::kRecords] = from.records;
  const BranchRun::RowLaunch how{.threads = kernel::kGroupThreads,
                                 .shared = group_kernels(run).slots().shared_bytes(),
                                 .bytes = from.bytes};
  do clear();
  while (!run.try_rows(from.kernel, job_, from.count, how));
  return fits();
}

bool GroupRun::fill(BranchRun& run, uint64_t slots, SlotRun& from) {
  make_table(run, slots, from.rows());
  clear();
  return from.put(job_, [&] { return fits(); });
}

/// Fills tables of growing size until one is enough.
template <class From>
void GroupRun::grow(BranchRun& run, uint64_t slots, From&& from) {
  slots = std::min(slots, enough(from.rows()));
  while (!fill(run, slots, from)) {
    invariant(slots < enough(from.rows()), "a table of twice as many slots as rows has room for each");
    slots = std::min(slots * kGrowth, enough(from.rows()));
  }
  slots_ = std::max(slots_, slots);
}

/// False: there is no memory for it.
bool GroupRun::fill_by_parts(BranchRun& run) {
  table_.reset();
  try {
    const uint64_t slots =
        std::min(std::max(slots_, std::bit_floor(run.rows() / kRowsOfSlot)), enough(run.rows()));
    const SortedRecords sorted = sort_by_parts(run, slots, options_, gpu_);
    grow(run, slots, Rows{"group_parts", sorted.rows, sorted.records.size(), sorted.records.address()});
    return true;
  } catch (const MemoryError&) {
    return false;
  }
}

void GroupRun::fill(BranchRun& run) {
  const codegen::Strategy::Groups how = gpu_.strategy.groups;
  if (!run.has_kernel("group")) {
    try {
      SlotRun slots(run, options_, gpu_);
      if (how == codegen::Strategy::Groups::kSlots) return grow(run, slots_, slots);
      if (fill(run, std::min(slots_, enough(slots.rows())), slots)) return;
      slots_ *= kGrowth;  // so many groups take longer than their own kernel, which is waited for
    } catch (const DeviceFull&) {
      if (how == codegen::Strategy::Groups::kSlots) throw;
      table_.reset();  // their own kernel needs no memory for slots
    }
    run.forget_texts("make_slots");
    run.add_kernels(run.sources().texts());
  }
  const Rows all{"group", run.rows(), run.bytes_of_last_kernel()};
  const bool many = how == codegen::Strategy::Groups::kAuto && run.rows() >= kManyRows;
  bool parts = parts_fit_ && (many || how == codegen::Strategy::Groups::kParts) &&
               group_kernels(run).record_bytes() != 0 && has_sorter();
  if (parts && many && slots_ == kFirstSlots) {
    parts = !fill(run, slots_, all);
    if (!parts) return;
    slots_ *= kGrowth;
  }
  if (parts) parts_fit_ = fill_by_parts(run);
  if (!parts || !parts_fit_) grow(run, slots_, all);
}

void GroupRun::take(BranchRun& run, bool only) {
  run.narrow(false);
  if (!events_) events_ = run.allocate(sizeof(kernel::GroupOutcome), kGrouping);
  fill(run);
  const uint64_t slots = job_.words[codegen::JobLayout::kSlots];
  const gpu::DeviceBuffer used = run.allocate(bits::words(slots) * sizeof(uint64_t), kGrouping);
  job_.words[codegen::JobLayout::kRows] = slots;
  job_.words[codegen::JobLayout::kActive] = used.address();
  run.launch_rows("mark_groups", job_, slots);

  Collector collector(plan_.partial(), options_, gpu_, {}, only ? to_ : Destination::kHost);
  if (only && plan_.counts_values()) {
    values_ = collector.count_values(run, {slots, used.address(), job_, {}});
    came_ = outcome_.came;
    table_.reset();
    return;
  }
  collector.take(run, {slots, used.address(), job_, {{&outcome_, events_.address(), sizeof(outcome_)}}});
  if (outcome_.overflow != 0) throw UserError("Overflow in HUGEINT addition");
  came_ += outcome_.came;
  kept_ = collector.take_kept();
  std::vector<Batch> batches = collector.take();
  batches_ += batches.empty() ? 0 : 1;
  std::move(batches.begin(), batches.end(), std::back_inserter(partial_.batches));
  table_.reset();
}

/// All of the result, where it stayed on the device.
std::vector<arrow::DeviceBatch> GroupRun::take_kept() {
  const std::vector<size_t> chosen = plan_.result_columns().value_or(std::vector<size_t>());
  for (arrow::DeviceBatch& batch : kept_) {
    std::vector<std::shared_ptr<const DeviceColumn>> columns;
    for (const size_t column : chosen) columns.push_back(batch.columns[column]);
    batch.columns = std::move(columns);
  }
  return std::move(kept_);
}

SinkResult GroupRun::finish(const Schema& output) {
  if (values_) return {plan_.finish(*values_, output)};
  std::vector<arrow::DeviceBatch> kept = take_kept();
  const bool merges = batches_ > 1 || plan_.needs_merge();
  if (merges) partial_ = plan_.merged(std::move(partial_), batches_ > 1, options_);
  return {plan_.finish(partial_, merges, output, options_.budget), std::move(kept)};
}

}  // namespace lanewise::ops
