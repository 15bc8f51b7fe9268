#include "exec/device/branch_run.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "exec/device/collect.h"
#include "exec/device/match-inl.h"
#include "exec/first_fault.h"
#include "exec/profile.h"
#include "expr/device/heap-inl.h"
#include "expr/evaluate.h"

namespace lanewise::exec {

namespace {

/// Rows that a device must have memory for.
constexpr int64_t kFewestRows = 1 << 12;
constexpr int kBlocksPerMultiprocessor = 8;

ColumnForm form_of(const DeviceColumn& column) {
  const DeviceColumn& texts = column.dictionary ? *column.dictionary : column;
  return {column.type, bool(column.validity), column.dictionary != nullptr, texts.wide_offsets,
          column.type.is_string() && texts.longest <= kernel::Key<kernel::Text>::kInside};
}

size_t bitmap_bytes(uint64_t rows) { return bits::words(rows) * sizeof(uint64_t); }

constexpr std::string_view kTexts = "Texts that a kernel makes";
/// Memory for them at first: what nearly all queries get by with.
constexpr uint64_t kLeastHeap = uint64_t{1} << 20, kMostFirstHeap = uint64_t{1} << 28, kHeapOfRow = 64;

}  // namespace

uint64_t most_blocks(const Accelerator& gpu) {
  return static_cast<uint64_t>(gpu.multiprocessors()) * kBlocksPerMultiprocessor;
}

BranchRun::BranchRun(const Branch& branch, const DeviceSink& sink, const std::vector<Table>& results,
                     const Options& options, Accelerator& gpu, DeviceTimes& times)
    : branch_(branch),
      sink_(sink),
      options_(options),
      gpu_(gpu),
      times_(times),
      program_(make_program(branch, sink, results)),
      columns_(exec::columns_of(program_)),
      input_(branch, columns_, results, options, gpu),
      feed_([this](int64_t first, int64_t rows) { return input_.load(first, rows); },
            input_.streams() ? gpu.copies : gpu.stream, gpu.stream),
      fault_(gpu.pool.allocate(sizeof(uint64_t), gpu.stream, "Faults")),
      clock_(gpu.stream, gpu.timers) {
  gpu.stream.fill(fault_.address(), 0xff, sizeof(uint64_t));
}

void BranchRun::for_each_batch(const std::function<bool()>& batch) {
  int64_t most = input_.batch_rows();
  bool ahead = input_.streams();
  const Stopwatch watch;
  for (int64_t first = 0; first < input_.rows();) {
    const int64_t rows = std::min(most, input_.rows() - first);
    bool more = true;
    try {
      open(first, rows, ahead ? std::min(most, input_.rows() - first - rows) : 0);
      more = batch();
      if (!beside_.empty()) gpu_.modules.begin(beside_);  // now, so that nobody waits for it
      if (options_.cancellation != nullptr) gpu_.stream.synchronize(*options_.cancellation);
      times_.kernel_seconds += clock_.settle(times_.kernels);
      if (lane_steps_) book_lane_steps();
    } catch (const DeviceFull&) {
      clock_.forget();
      feed_.end();
      heaps_.clear();
      if (feed_.forget()) {  // without another batch beside it there may be enough
        ahead = false;
        continue;
      }
      if (rows <= kFewestRows) throw;
      most = std::max(kFewestRows, (rows / 2 + 63) / 64 * 64);
      continue;
    }
    ++times_.batches;
    first += rows;
    if (!more) break;
  }
  if (input_.streams()) times_.upload_seconds += watch.seconds();
  times_.uploaded += input_.uploaded_bytes();
}

device::DeviceBuffer BranchRun::allocate(size_t bytes, std::string_view what) {
  return or_full([&] { return gpu_.pool.allocate(bytes, gpu_.stream, what); });
}

/// Makes a batch the present one: its columns, bitmaps and kernels. So many rows behind it begin to come.
void BranchRun::open(int64_t first, int64_t rows, int64_t rows_ahead) {
  feed_.end();
  hits_.clear();
  lane_steps_.reset();
  bitmap_.reset();
  heaps_.clear();
  active_ = 0;
  const uint64_t uploaded = input_.uploaded_bytes();
  const Stopwatch watch;
  or_full([&] { feed_.next(first, rows); });
  if (rows_ahead > 0) feed_.ask(first + rows, rows_ahead);
  if (!input_.streams() && input_.uploaded_bytes() != uploaded) times_.upload_seconds += watch.seconds();
  first_ = static_cast<uint64_t>(first);
  rows_ = static_cast<uint64_t>(rows);

  std::vector<ColumnForm> forms;
  for (const auto& column : held()) forms.push_back(form_of(*column));
  writer_.emplace(program_, sink_, columns_, forms, gpu_.strategy);
  matchings_.resize(writer_->matches().size());
  for (size_t i = 0; i < matchings_.size(); ++i) {
    const Match& match = writer_->matches()[i];
    if (!matchings_[i])
      or_full([&] { matchings_[i].emplace(match.pattern->pattern(), writer_->kind(match), gpu_); });
    const DeviceColumn& column = *held()[place_of(match.column)];
    const auto asked = static_cast<uint64_t>(column.dictionary ? column.dictionary->rows : column.rows);
    hits_.push_back(allocate(bitmap_bytes(asked), "Rows that match"));
  }
  bitmap_ = allocate(bitmap_bytes(rows_), "Active rows");
  if (gpu_.strategy.occupancy && !hits_.empty()) {
    const size_t bytes = hits_.size() * sizeof(kernel::LaneSteps);
    lane_steps_ = allocate(bytes, "Steps of lanes");
    gpu_.stream.fill(lane_steps_.address(), 0, bytes);
  }

  kernels_.clear();
  awaited_.clear();
  beside_.clear();
  making_texts_.clear();
  std::vector<KernelText> texts = writer_->texts();
  put_off_group_kernel(texts);
  add_kernels(texts);
}

/// The kernel that puts rows into groups takes longest to compile. Where it is not there yet, others that are
/// sooner take its place among `texts`, for this batch, and it is compiled when they are.
void BranchRun::put_off_group_kernel(std::vector<KernelText>& texts) {
  const auto group = std::find_if(texts.begin(), texts.end(), [](const KernelText& text) {
    return text.names == std::vector<std::string>{"group"};
  });
  if (group == texts.end() || !writer_->slots().shape()) return;
  std::string source = group->text();
  switch (gpu_.strategy.groups) {
    case Strategy::Groups::kTable:
    case Strategy::Groups::kParts:
      return;
    case Strategy::Groups::kSlots:
      source.clear();
      break;
    case Strategy::Groups::kAuto:
      if (!gpu_.compiles_beside || gpu_.modules.find(source)) return;
      if (!gpu_.modules.find(put_slots_kernel())) {  // for another query
        gpu_.modules.begin(put_slots_kernel());
        return;
      }
  }
  beside_ = std::move(source);
  std::vector<KernelText> sooner = writer_->slot_texts();
  texts.insert(texts.erase(group), std::make_move_iterator(sooner.begin()),
               std::make_move_iterator(sooner.end()));
}

/// Those that are new are compiled at once, each by a thread.
void BranchRun::add_kernels(const std::vector<KernelText>& texts) {
  for (const KernelText& text : texts) {
    const std::string source = text.text();
    if (gpu_.modules.begin(source)) awaited_.insert(source);
    making_texts_.insert(text.making_texts.begin(), text.making_texts.end());
    for (const std::string& name : text.names)
      kernels_[name] = {source, text.entry.empty() ? name : text.entry, nullptr};
  }
}

device::Kernel BranchRun::kernel(const std::string& name) {
  Place& place = kernels_.at(name);
  if (!place.built) {
    Stopwatch watch;
    place.built = gpu_.modules.get(place.source);
    if (awaited_.erase(place.source) != 0) {
      ++times_.modules;
      times_.compiled += place.built->cached ? 0 : 1;
      times_.module_seconds += static_cast<double>(watch.lap()) * 1e-9;
    }
  }
  return place.built->module.kernel(place.entry);
}

size_t BranchRun::place_of(size_t column) const {
  return static_cast<size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}

void BranchRun::run_matches(const Stage& stage) {
  for (const Match& match : stage.matches) {
    const size_t place = writer_->place_of(match);
    const DeviceColumn& column = *held()[place_of(match.column)];
    const DeviceColumn& asked = column.dictionary ? *column.dictionary : column;
    const std::string name = writer_->match_kernel(match);
    const device::Kernel found = kernel(name);
    AskedRows rows{column.dictionary ? 0 : active_};
    RowList list;
    if (writer_->asked(match) == kernel::Asked::kList) {
      list = list_rows(*this, gpu_, active_, rows_);
      rows = {list.rows.address(), list.count};
    }
    FoundRows to{hits_[place].address()};
    if (writer_->counted(match)) to.lane_steps = lane_steps_.address() + place * sizeof(kernel::LaneSteps);
    clock_.time(name, asked.bytes(), [&] { matchings_[place]->run(found, asked, rows, to, gpu_); });
  }
}

/// Adds what the batch's lanes did to what is known of their kernels.
void BranchRun::book_lane_steps() {
  std::vector<kernel::LaneSteps> steps(hits_.size());
  gpu_.staging.download(steps.data(), lane_steps_.address(), steps.size() * sizeof(steps[0]), gpu_.stream);
  for (size_t place = 0; place < steps.size(); ++place) {
    const std::string name = writer_->match_kernel(writer_->matches()[place]);
    for (KernelTime& kernel : times_.kernels) {
      if (kernel.name == name)
        kernel.lanes.add({.lane_steps = steps[place].all, .live_steps = steps[place].live});
    }
  }
}

void BranchRun::narrow(bool last_too) {
  const size_t stages = program_.stages.size();
  for (size_t stage = 0; stage < stages; ++stage) {
    run_matches(program_.stages[stage]);
    if (stage + 1 == stages && !last_too) return;
    filter(stage);
  }
}

void BranchRun::filter(size_t stage) {
  kernel::Job filter = job(writer_->filter_order(stage));
  filter.words[KernelWriter::kOut] = bitmap_.address();
  launch_rows(KernelWriter::filter_kernel(stage), filter, rows_, {.bytes = bytes_read(stage, false)});
  active_ = bitmap_.address();
}

void BranchRun::filter_by_last() {
  const size_t last = program_.stages.size() - 1;
  if (!program_.stages[last].predicates.empty()) filter(last);
}

kernel::Job BranchRun::job() const {
  std::vector<size_t> order(held().size());
  std::iota(order.begin(), order.end(), size_t{0});
  return job(order);
}

/// With the columns in this order.
kernel::Job BranchRun::job(const std::vector<size_t>& order) const {
  kernel::Job job{};
  job.words[KernelWriter::kRows] = rows_;
  job.words[KernelWriter::kActive] = active_;
  job.words[KernelWriter::kFault] = fault_.address();
  job.words[KernelWriter::kFirstRow] = first_;
  for (size_t place = 0; place < order.size(); ++place) {
    const DeviceColumn& column = *held()[order[place]];
    const DeviceColumn& texts = column.dictionary ? *column.dictionary : column;
    kernel::u64* words = &job.words[writer_->column_word(place)];
    words[0] = column.values.address();
    words[1] = texts.offsets.address();
    words[2] = column.validity.address();
    words[3] = texts.values.address();
  }
  for (size_t match = 0; match < hits_.size(); ++match)
    job.words[writer_->match_word(match)] = hits_[match].address();
  writer_->set_constants(job);
  return job;
}

uint64_t BranchRun::bytes_read(size_t stage, bool outputs_too) const {
  std::vector<ExprPtr> read = program_.stages[stage].predicates;
  if (outputs_too) read.insert(read.end(), program_.outputs.begin(), program_.outputs.end());
  std::set<size_t> columns;
  for (const ExprPtr& expr : read) {
    if (expr == nullptr) continue;
    for (const size_t column : lanewise::columns_of(*expr)) columns.insert(column);
  }
  uint64_t bytes = 0;
  for (const size_t column : columns) bytes += held()[place_of(column)]->bytes();
  return bytes;
}

/// As many as run at once, if there is something for them to do.
uint64_t BranchRun::blocks_for(const device::Kernel& kernel, uint64_t rows, const RowLaunch& how) const {
  const auto resident = static_cast<uint64_t>(gpu_.multiprocessors()) *
                        static_cast<uint64_t>(kernel.blocks_per_multiprocessor(how.threads, how.shared));
  const uint64_t needed = (rows + how.threads - 1) / how.threads;
  return std::clamp<uint64_t>(needed, 1, std::min(resident, most_blocks(gpu_)));
}

bool BranchRun::try_rows(const std::string& name, kernel::Job job, uint64_t rows, const RowLaunch& how) {
  const device::Kernel found = kernel(name);
  const bool texts = makes_texts(name);
  fault_came_ = false;
  auto& [heap, wanted] = heaps_[name];
  if (texts) {
    if (!heap) {
      const uint64_t first = std::min(kMostFirstHeap, kLeastHeap + rows * kHeapOfRow);
      heap = allocate(std::max(first, wanted), kTexts);
    }
    gpu_.stream.fill(heap.address(), 0, kernel::kHeapHead);
    job.words[KernelWriter::kHeap] = heap.address();
    job.words[KernelWriter::kHeapBytes] = heap.size() - kernel::kHeapHead;
  }
  const uint64_t blocks = blocks_for(found, rows, how);
  clock_.time(name, how.bytes, [&] {
    found.launch(gpu_.stream, {.blocks = blocks, .threads = how.threads, .shared = how.shared}, job);
  });
  if (!texts) return true;
  const auto used = fetch_one<uint64_t>(gpu_, heap.address()), size = uint64_t{heap.size()};
  if (used <= size - kernel::kHeapHead) return true;
  heap.reset();  // what lost texts asked for is more than what they need, where rows share a piece
  wanted = std::clamp(used / 4 * 5, size * 2, size * 8);
  return false;
}

device::Download BranchRun::bring_fault() {
  fault_came_ = true;
  return {&first_fault_, fault_.address(), sizeof(first_fault_)};
}

void BranchRun::raise_faults(Downloads with) {
  if (!fault_came_) with.push_back(bring_fault());
  gpu_.staging.download(with, gpu_.stream);
  if (first_fault_ == UINT64_MAX) return;
  try {
    raise_as_reference(input_.row(static_cast<int64_t>(first_fault_)));
  } catch (ConversionError& error) {
    name_argument(error, branch_.schema);
    const auto* scan = std::get_if<const plan::Scan*>(&branch_.input);
    throw with_place(error, scan == nullptr ? "" : (*scan)->source->name(), first_fault_);
  }
  throw InternalError("a kernel failed at row " + std::to_string(first_fault_) +
                      ", where the host sees no error");
}

/// Raises what the reference evaluator does for the row.
void BranchRun::raise_as_reference(const std::vector<Value>& row) const {
  const auto is_true = [&](const ExprPtr& condition) {
    return condition == nullptr || evaluate_reference(*condition, row).is_true();
  };
  for (const Stage& stage : program_.stages) {
    for (const ExprPtr& predicate : stage.predicates) evaluate_reference(*predicate, row);
  }
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const bool has_filter = sink_.has_pairs() && i % 2 == 0;  // behind the argument
    if (program_.outputs[i] == nullptr || (has_filter && !is_true(program_.outputs[i + 1]))) continue;
    evaluate_reference(*program_.outputs[i], row);
  }
}

}  // namespace lanewise::exec
