#include "ops/gpu/branch/branch_run.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "codegen/tally-inl.h"
#include "expr/evaluation/evaluate.h"
#include "expr/gpu/heap-inl.h"
#include "ops/filter/gpu/match_kernels.h"
#include "ops/gpu/branch/row_list.h"
#include "ops/gpu/rows/row_kernels.h"
#include "ops/join/gpu/expand-inl.h"
#include "ops/join/gpu/pairs-inl.h"
#include "ops/join/gpu/probe_kernels.h"
#include "ops/join/gpu/split_kernels.h"
#include "ops/join/gpu/split_run.h"
#include "ops/run/first_fault.h"
#include "ops/run/profile.h"

namespace lanewise::ops {

namespace {

/// Rows that a device must have memory for.
constexpr int64_t kFewestRows = 1 << 12;

/// Those of the columns that are the input's.
std::vector<size_t> input_columns(const codegen::Program& program, const std::vector<size_t>& columns) {
  std::vector<size_t> chosen;
  for (const size_t column : columns)
    if (!program.probe_of(column)) chosen.push_back(column);
  return chosen;
}

std::vector<std::shared_ptr<const JoinTable>> join_tables(const codegen::Program& program,
                                                          const Results& results) {
  std::vector<std::shared_ptr<const JoinTable>> tables;
  for (const codegen::Probe& probe : program.probes) tables.push_back(results[probe.result].on_device);
  return tables;
}

/// The most pieces of long runs that wait for any warp: at most one per row.
constexpr uint64_t kMostPieces = uint64_t{1} << 20;

/// For a row, matches or not.
uint32_t least_pairs(const codegen::Probe& probe) {
  const plan::JoinKind kind = probe.join->kind;
  return kind == plan::JoinKind::kLeft || kind == plan::JoinKind::kFull ? 1 : 0;
}

size_t bitmap_bytes(uint64_t rows) { return bits::words(rows) * sizeof(uint64_t); }

/// Fewer rows are looked up in less time than is sure to be saved: 4 M take 0.15 ms on an H100.
constexpr uint64_t kFewestSplit = uint64_t{1} << 22;

constexpr const char *kAggregate = "aggregate", *kAggregateQueue = "aggregate_queue";
constexpr std::string_view kPairsOfJoin = "Join", kSplit = "Join, rows by parts";

}  // namespace

BranchRun::BranchRun(const plan::Branch& branch, codegen::Program program, const DeviceSink& sink,
                     const Results& results, const Options& options, Accelerator& gpu, DeviceTimes& times)
    : branch_(branch),
      sink_(sink),
      options_(options),
      gpu_(gpu),
      times_(times),
      program_(std::move(program)),
      sections_(sections_of(program_, sink.form(), gpu.strategy)),
      columns_(codegen::columns_of(program_)),
      tables_(join_tables(program_, results)),
      input_(branch, input_columns(program_, columns_), results, options, gpu),
      feed_([this](int64_t first, int64_t rows) { return input_.load(first, rows); },
            input_.streams() ? gpu.copies : gpu.stream, gpu.stream),
      fault_(gpu.pool.allocate(sizeof(uint64_t), gpu.stream, "Faults")),
      clock_(gpu.stream, gpu.timers) {
  gpu.stream.fill(fault_.address(), 0xff, sizeof(uint64_t));
}

void BranchRun::for_each_batch(const std::function<bool()>& batch, const std::function<bool()>& make_room) {
  int64_t most = input_.batch_rows();
  bool ahead = input_.streams();
  const Stopwatch watch;
  for (RowRange now = input_.next_rows(0, most); now.first < now.end;) {
    const int64_t rows = now.end - now.first;
    bool more = true;
    try {
      open(now, ahead ? input_.next_rows(now.end, most) : RowRange{now.end, now.end});
      more = batch();
      if (!missing_.empty()) gpu_.modules.begin(missing_);  // now, so that nothing waits for it
      if (options_.cancellation != nullptr) gpu_.stream.synchronize(*options_.cancellation);
      book_kernels();
    } catch (const DeviceFull&) {
      clock_.forget();
      feed_.end();
      split_.clear();
      heaps_.clear();
      const bool had_next = feed_.forget();
      if (make_room()) continue;
      if (had_next) {  // without another batch there may be enough
        ahead = false;
        continue;
      }
      if (rows <= kFewestRows) throw;
      most = std::max(kFewestRows, (rows / 2 + 63) / 64 * 64);
      now = input_.next_rows(now.first, most);
      continue;
    }
    ++times_.batches;
    if (!more) break;
    now = input_.next_rows(now.end, most);
  }
  if (input_.streams()) times_.upload_seconds += watch.seconds();
  times_.uploaded += input_.uploaded_bytes();
  times_.skipped += input_.skipped_rows();
}

gpu::DeviceBuffer BranchRun::allocate(size_t bytes, std::string_view what) {
  return or_full([&] { return gpu_.pool.allocate(bytes, gpu_.stream, what); });
}

/// Makes a batch the current one: its columns, bitmaps and kernels. Begins to load the rows ahead, if there
/// are some.
void BranchRun::open(RowRange now, RowRange ahead) {
  const int64_t first = now.first, rows = now.end - now.first;
  feed_.end();
  clear_section();
  split_.clear();
  found_.clear();
  heaps_.clear();
  const uint64_t uploaded = input_.uploaded_bytes();
  const Stopwatch watch;
  or_full([&] { feed_.next(first, rows); });
  if (ahead.first < ahead.end) feed_.ask(ahead.first, ahead.end - ahead.first);
  if (!input_.streams() && input_.uploaded_bytes() != uploaded) times_.upload_seconds += watch.seconds();
  first_ = static_cast<uint64_t>(first);
  rows_ = input_rows_ = static_cast<uint64_t>(rows);

  hold_columns();
  std::vector<codegen::ColumnForm> forms;
  for (size_t place = 0; place < columns_.size(); ++place)
    forms.push_back(codegen::form_of(*held()[place], program_.probe_of(columns_[place])));
  sources_.clear();
  sources_.reserve(sections_.size());
  const codegen::Strategy strategy = strategy_of_pairs();
  for (size_t section = 0; section < sections_.size(); ++section)
    sources_.emplace_back(program_, sink_, columns_, forms, strategy, section);
}

/// Begins to build the kernels of all sections.
void BranchRun::begin_kernels() {
  matchings_.resize(sections_.size());
  kernels_.clear();
  awaited_.clear();
  missing_.clear();
  making_texts_.clear();
  begin_section(0);
  for (size_t section = 0; section < sections_.size(); ++section) {
    const bool last = section + 1 == sections_.size();
    if (!last) {
      add_kernels(sources_[section].texts());
      continue;
    }
    SinkKernels::ForNow now = sources_[section].sink().texts_for_now(gpu_);
    add_kernels(now.texts);
    missing_ = std::move(now.missing);
  }
  if (splitting() != nullptr) add_kernels({split_text(sources().builder())});
}

/// The build side by whose parts rows are split before the last kernel; null: they are not.
const JoinTable* BranchRun::splitting() const {
  if (!sources().split_places() || (rows_ < kFewestSplit && !gpu_.strategy.split)) return nullptr;
  const JoinTable& table = *tables_[*program_.probe_at(first_of_last())];
  return table.part_shift() ? &table : nullptr;
}

/// Whether a copy of the columns takes a small part of the free memory.
bool BranchRun::has_room_for(const std::vector<const DeviceColumn*>& columns) const {
  uint64_t bytes = 0;
  for (const DeviceColumn* const column : columns) bytes += rows_ * width(column->type.physical());
  const MemoryBudget& budget = gpu_.pool.budget();
  return budget.used() + bytes * 4 < budget.limit();
}

/// Puts the rows that are left, with all that the last kernel reads of them, into the order in which it looks
/// them up.
void BranchRun::order_by_parts() {
  const JoinTable* const table = splitting();
  if (table == nullptr) return;
  const std::vector<size_t>& places = *sources().split_places();
  std::vector<const DeviceColumn*> columns;
  for (const size_t place : places) columns.push_back(held_[place]);
  kernel::Job job = this->job();
  job.words[codegen::JobLayout::kShift] = *table->part_shift();
  const codegen::Stage& stage = program_.stages[first_of_last()];
  const bool all =
      active_ == 0 && stage.predicates.empty() && table->lookup().kind == kernel::LookupKind::kHash;
  const RowsLeft left = all                                          ? RowsLeft::kAll
                        : has_room_for(columns) && !input_.streams() ? RowsLeft::kAtMost
                                                                     : RowsLeft::kUnknown;
  SplitRows split = split_rows(
      columns, rows_, left, job, gpu_, [this](size_t bytes) { return allocate(bytes, kSplit); },
      [&](const char* name, uint64_t rows, const auto&... arguments) {
        launch_resident(kernel(name), name, rows, {.threads = kernel::kSplitThreads}, arguments...);
      });
  split_ = std::move(split.columns);
  for (size_t i = 0; i < places.size(); ++i) held_[places[i]] = &split_[i];
  rows_ = split.rows;
  active_ = 0;
}

std::vector<DeviceStore::ColumnPtr> BranchRun::outputs_as_they_are() const {
  const codegen::Stage& stage = program_.stages[0];
  if (input_.streams()) return {};  // another stream's memory
  if (program_.stages.size() > 1 || !stage.keeps_all_rows() || !stage.matches.empty()) return {};
  std::vector<DeviceStore::ColumnPtr> columns;
  for (const ExprPtr& output : program_.outputs) {
    if (output->kind != Expr::Kind::kColumn) return {};
    columns.push_back(feed_.columns()[place_of(output->column)]);
  }
  return columns;
}

void BranchRun::hold_columns() {
  held_.clear();
  size_t of_input = 0;
  for (const size_t column : columns_) {
    if (const std::optional<size_t> number = program_.probe_of(column)) {
      const codegen::Probe& probe = program_.probes[*number];
      held_.push_back(&tables_[*number]->column(column - probe.first_column));
    } else {
      held_.push_back(feed_.columns()[of_input++].get());
    }
  }
}

void BranchRun::clear_section() {
  hits_.clear();
  counted_.clear();
  lane_steps_.reset();
  bitmap_.reset();
  active_ = 0;
}

/// Makes room for what the section's kernels leave of its rows_ rows.
void BranchRun::begin_section(size_t section) {
  clear_section();
  section_ = section;
  const std::vector<codegen::Match>& matches = builder().matches();
  std::vector<std::optional<Matching>>& matchings = matchings_[section];
  matchings.resize(matches.size());
  for (size_t i = 0; i < matches.size(); ++i) {
    const codegen::Match& match = matches[i];
    if (!matchings[i])
      or_full([&] { matchings[i].emplace(match.pattern->pattern(), match_kind(builder(), match), gpu_); });
    const DeviceColumn& column = *held()[place_of(match.column)];
    const auto asked = static_cast<uint64_t>(column.dictionary ? column.dictionary->rows : column.rows);
    hits_.push_back(allocate(bitmap_bytes(asked), "Rows that match"));
  }
  for (size_t stage = sections_[section].first; stage < sections_[section].end; ++stage) {
    const std::optional<size_t> probe = program_.probe_at(stage);
    if (!probe || !program_.probes[*probe].keeps_row()) continue;
    if (section + 1 == sections_.size() && stage >= builder().first_of_last()) break;
    found_.resize(program_.probes.size() + 1);
    found_[*probe] = allocate(rows_ * sizeof(uint32_t), kPairsOfJoin);
  }
  bitmap_ = allocate(bitmap_bytes(rows_), "Active rows");
  if (gpu_.strategy.occupancy) {
    for (const codegen::Match& match : matches)
      if (is_counted(builder(), match)) counted_.push_back(match_kernel(builder(), match));
    if (sections_[section].takes_pairs()) counted_.insert(counted_.end(), {kAggregate, kAggregateQueue});
  }
  if (counted_.empty()) return;
  lane_steps_ = allocate(counted_.size() * sizeof(kernel::LaneSteps), "Steps of lanes");
  gpu_.stream.fill(lane_steps_.address(), 0, lane_steps_.size());
}

/// By the lengths of runs.
codegen::Strategy BranchRun::strategy_of_pairs() const {
  codegen::Strategy strategy = gpu_.strategy;
  if (strategy.pairs != codegen::Strategy::Pairs::kAuto || sections_.size() == 1) return strategy;
  const JoinTable& table = *tables_[*sections_.back().probe];
  const bool is_long = table.longest_run() >= kernel::kPiece;
  strategy.pairs = table.has_short_runs() ? codegen::Strategy::Pairs::kNaive
                   : is_long              ? codegen::Strategy::Pairs::kQueued
                                          : codegen::Strategy::Pairs::kBalanced;
  return strategy;
}

/// The next section makes the pairs of the active rows itself.
void BranchRun::begin_pairs() {
  const gpu::cuda::Address active = active_;
  gpu::DeviceBuffer bitmap = std::move(bitmap_);
  begin_section(section_ + 1);
  bitmap_ = std::move(bitmap);
  active_ = active;
  queue_room_ = kernels_.contains(kAggregateQueue) ? std::min(rows_, kMostPieces) : 0;
  queue_ = allocate(sizeof(kernel::PairQueue) + queue_room_ * sizeof(kernel::PairQueue::Piece), kPairsOfJoin);
  least_pairs_ = least_pairs(program_.probes[*sections_[section_].probe]);
}

bool BranchRun::try_aggregate(const kernel::Job& with) {
  const uint64_t bytes = bytes_of_last_kernel();
  if (!sections_.back().takes_pairs()) return try_rows(kAggregate, with, rows_, {.bytes = bytes});
  kernel::Job job = with;
  job.words[codegen::JobLayout::kQueue] = queue_.address();
  job.words[codegen::JobLayout::kRoom] = queue_room_;
  job.words[codegen::JobLayout::kLeast] = least_pairs_;
  job.words[codegen::JobLayout::kSteps] = lane_steps_of(kAggregate);
  gpu_.stream.fill(queue_.address(), 0, sizeof(kernel::PairQueue));
  launch_rows(kAggregate, job, rows_, {.bytes = bytes});
  if (!kernels_.contains(kAggregateQueue)) return true;
  job.words[codegen::JobLayout::kSteps] = lane_steps_of(kAggregateQueue);
  launch_rows(kAggregateQueue, job, rows_);
  return true;
}

/// The rows from here on are pairs: of each active row and each row that the probe found for it.
void BranchRun::expand() {
  const size_t number = *sections_[section_ + 1].probe;
  const JoinTable& table = *tables_[number];
  const uint32_t least = least_pairs(program_.probes[number]);
  const RowList list = list_rows(*this, gpu_, active_, rows_);
  const uint64_t tiles = (list.count + kernel::kTileRows - 1) / kernel::kTileRows;
  const gpu::DeviceBuffer sums = allocate((tiles + 1) * sizeof(uint64_t), kPairsOfJoin);
  const gpu::cuda::Address found = found_[number].address();
  if (tiles != 0)
    launch("count_pairs", tiles, list.rows.address(), list.count, found, table.runs(), least, sums.address());
  launch("scan_tiles", 1, sums.address(), tiles);
  const auto pairs = fetch_one<uint64_t>(gpu_, sums.address() + tiles * sizeof(uint64_t));
  if (pairs > UINT32_MAX)
    throw DeviceFull("a batch of rows has more than 2^32 pairs with a join's build side");
  gpu::DeviceBuffer left = allocate(pairs * sizeof(uint32_t), kPairsOfJoin);
  gpu::DeviceBuffer right = allocate(pairs * sizeof(uint32_t), kPairsOfJoin);
  if (tiles != 0)
    launch("write_pairs", tiles, list.rows.address(), list.count, found, table.runs(), table.order(), least,
           sums.address(), left.address(), right.address());
  const uint64_t blocks =
      std::clamp<uint64_t>((pairs + kernel::kThreads - 1) / kernel::kThreads, 1, most_blocks(gpu_));
  for (size_t probe = 0; probe < found_.size(); ++probe) {
    if (probe == number || !found_[probe]) continue;
    gpu::DeviceBuffer taken = allocate(pairs * sizeof(uint32_t), kPairsOfJoin);
    launch("take_rows", blocks, found_[probe].address(), left.address(), pairs, taken.address());
    found_[probe] = std::move(taken);
  }
  found_[number] = std::move(right);
  if (!found_.back()) found_.back() = std::move(left);
  rows_ = pairs;
  begin_section(section_ + 1);
}

size_t BranchRun::place_of(size_t column) const {
  return static_cast<size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}

void BranchRun::run_matches(size_t stage) {
  for (const codegen::Match& match : program_.stages[stage].matches) {
    const size_t place = builder().place_of(match);
    const DeviceColumn& column = *held()[place_of(match.column)];
    const DeviceColumn& asked = column.dictionary ? *column.dictionary : column;
    const std::string name = match_kernel(builder(), match);
    const gpu::Kernel found = kernel(name);
    AskedRows rows{builder().matches_rows(match) ? active_ : 0};
    RowList list;
    if (asked_of(builder(), match) == kernel::Asked::kList) {
      list = list_rows(*this, gpu_, active_, rows_);
      rows = {list.rows.address(), list.count};
    }
    FoundRows to{hits_[place].address()};
    to.lane_steps = lane_steps_of(name);
    clock_.time(name, asked.bytes(), [&] { matchings_[section_][place]->run(found, asked, rows, to, gpu_); });
  }
}

/// Where the kernel adds what its lanes did; 0: it does not.
gpu::cuda::Address BranchRun::lane_steps_of(const std::string& kernel) const {
  const auto found = std::ranges::find(counted_, kernel);
  if (found == counted_.end()) return 0;
  return lane_steps_.address() + static_cast<uint64_t>(found - counted_.begin()) * sizeof(kernel::LaneSteps);
}

/// Waits for what was launched, and adds its times and what its lanes did to those known.
void BranchRun::book_kernels() {
  times_.kernel_seconds += clock_.settle(times_.kernels);
  if (!lane_steps_) return;
  std::vector<kernel::LaneSteps> steps(counted_.size());
  gpu_.staging.download(steps.data(), lane_steps_.address(), steps.size() * sizeof(steps[0]), gpu_.stream);
  for (size_t i = 0; i < steps.size(); ++i) {
    for (KernelTime& kernel : times_.kernels) {
      if (kernel.name == counted_[i])
        kernel.lanes.add({.lane_steps = steps[i].all, .live_steps = steps[i].live});
    }
  }
}

void BranchRun::narrow(bool last_too) {
  begin_kernels();
  for (size_t section = 0; section < sections_.size(); ++section) {
    if (section > 0) {
      if (lane_steps_) book_kernels();
      sections_[section].takes_pairs() ? begin_pairs() : expand();
    }
    for (size_t stage = sections_[section].first; stage < sections_[section].end; ++stage) {
      run_matches(stage);
      if (last_too || stage < first_of_last()) filter(stage);
    }
  }
  if (!last_too) order_by_parts();
}

void BranchRun::filter(size_t stage) {
  kernel::Job filter = job(builder().filter_order(stage));
  filter.words[codegen::JobLayout::kOut] = bitmap_.address();
  launch_rows(filter_kernel(stage), filter, rows_, {.bytes = bytes_read({stage, stage + 1}, false)});
  active_ = bitmap_.address();
}

void BranchRun::filter_by_last() {
  const size_t last = program_.stages.size() - 1;
  if (!program_.stages[last].predicates.empty()) filter(last);
}

/// Bytes of the columns that the stages read.
uint64_t BranchRun::bytes_read(codegen::StageRange stages, bool outputs_too) const {
  std::vector<ExprPtr> read = program_.read_by(stages);
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

gpu::Download BranchRun::bring_fault() {
  fault_came_ = true;
  return {&first_fault_, fault_.address(), sizeof(first_fault_)};
}

void BranchRun::raise_faults(Downloads with) {
  if (!fault_came_) with.push_back(bring_fault());
  gpu_.staging.download(with, gpu_.stream);
  if (first_fault_ == UINT64_MAX) return;
  if (!tables_.empty() || std::holds_alternative<plan::MarkedRowsOf>(branch_.input)) throw FaultOfPair();
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
  for (const codegen::Stage& stage : program_.stages) {
    for (const ExprPtr& expr : program_.read_by(stage)) evaluate_reference(*expr, row);
  }
  const bool pairs = sink_.form().takes != codegen::SinkForm::Takes::kColumns;
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const bool has_filter = pairs && i % 2 == 0;  // after the argument
    if (program_.outputs[i] == nullptr || (has_filter && !is_true(program_.outputs[i + 1]))) continue;
    evaluate_reference(*program_.outputs[i], row);
  }
}

}  // namespace lanewise::ops
