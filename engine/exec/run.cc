#include "exec/run.h"

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "primitives/parallel.h"

namespace lanewise::exec {

namespace {

constexpr uint32_t kVectorRows = 8192;
constexpr int64_t kMorselRows = int64_t{1} << 17;
constexpr int kBranchShift = 58;  // of an order: six bits for the branch, see kMaxBranches
constexpr uint64_t kMorselMask = (uint64_t{1} << kBranchShift) - 1;

/// Of the orders within a branch, where those below `below` end.
uint64_t below_within(size_t branch, uint64_t below) {
  if (below == UINT64_MAX || below >> kBranchShift > branch) return UINT64_MAX;
  return below >> kBranchShift == branch ? below & kMorselMask : 0;
}

size_t bytes_of(const Morsel& morsel) {
  size_t bytes = 0;
  for (const Span& span : morsel.columns) {
    const Column& column = *span.column;
    const auto rows = static_cast<size_t>(morsel.rows);
    if (column.dictionary != nullptr) {
      bytes += rows * sizeof(uint32_t);
    } else if (column.type.is_string()) {
      bytes += column.offset(span.first + morsel.rows) - column.offset(span.first);
      bytes += rows * (column.wide_offsets ? 8 : 4);
    } else {
      bytes += rows * width(column.type.physical());
    }
  }
  return bytes;
}

EvalContext context_for(const Options& options, Arena& arena) {
  EvalContext context;
  context.arena = &arena;
  context.target = options.target;
  context.tuning = options.tuning;
  context.budget = options.budget;
  context.cancellation = options.cancellation;
  return context;
}

/// Tells how far the run is, now and then.
class ProgressReport {
 public:
  explicit ProgressReport(const Options& options) : options_(options) {}

  void morsel_done(const OpenPipeline& pipeline, size_t branch) {
    if (!options_.progress) return;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    auto last = last_.load(std::memory_order_relaxed);
    constexpr std::chrono::steady_clock::duration kPause = std::chrono::milliseconds(50);
    if (now - last < kPause.count() || !last_.compare_exchange_strong(last, now)) return;
    const double share = pipeline.branches[branch].input->progress();
    const auto branches = static_cast<double>(pipeline.branches.size());
    options_.progress(pipeline.branches[branch].what,
                      share < 0 ? -1 : (static_cast<double>(branch) + share) / branches);
  }

 private:
  const Options& options_;
  std::atomic<std::chrono::steady_clock::rep> last_{0};
};

/// One thread's way through a pipeline.
class Worker {
 public:
  Worker(OpenPipeline& pipeline, const Options& options, size_t lines, const std::atomic<bool>& stop)
      : local(pipeline.sink->local()),
        counters(lines),
        pipeline_(pipeline),
        options_(options),
        stop_(stop),
        arena_(options.budget, "Scratch memory") {
    context_ = context_for(options, arena_);
  }

  void run(ProgressReport& progress) {
    for (size_t branch = 0; branch < pipeline_.branches.size(); ++branch) {
      OpenBranch& open = pipeline_.branches[branch];
      auto reader = open.input->reader();
      Counters& input = input_counters(open);
      Morsel morsel;
      Stopwatch watch;
      while (!stopped() && reader->next(morsel, below_within(branch, pipeline_.sink->needed_below()))) {
        input.nanos += watch.lap();
        const uint64_t order = (static_cast<uint64_t>(branch) << kBranchShift) + morsel.order;
        if (!may_matter(open, morsel, order)) break;  // and what comes behind it may less
        input.bytes += bytes_of(morsel);
        run_morsel(open, morsel, order);
        progress.morsel_done(pipeline_, branch);
        watch.lap();
      }
    }
  }

  std::unique_ptr<ops::Sink::Local> local;
  std::vector<Counters> counters;

 private:
  bool stopped() const {
    if (options_.cancellation != nullptr) options_.cancellation->check();
    return stop_.load(std::memory_order_relaxed);
  }

  Counters& input_counters(const OpenBranch& open) {
    return open.line == kNoLine ? uncounted_ : counters[open.line];
  }

  bool may_matter(const OpenBranch& open, const Morsel& morsel, uint64_t order) const {
    if (morsel.bounds == nullptr) return true;
    const ExprPtr needed = pipeline_.sink->needed(order);
    return needed == nullptr || may_hold(*needed, [&](size_t column) {
             return column == open.ordered_by ? morsel.bounds : nullptr;
           });
  }

  void run_morsel(const OpenBranch& open, const Morsel& morsel, uint64_t order) {
    for (int64_t first = 0; first < morsel.rows; first += morsel.slice_rows, ++order) {
      if (stopped() || order >= pipeline_.sink->needed_below()) return;
      run_slice(open, morsel, first, order);
    }
  }

  void run_slice(const OpenBranch& open, const Morsel& morsel, int64_t first, uint64_t order) {
    Stopwatch watch;
    arena_.reset();
    const auto rows = static_cast<uint32_t>(std::min<int64_t>(morsel.slice_rows, morsel.rows - first));
    ops::Chunk chunk{order, rows, std::move(columns_), ActiveSet(rows, arena_)};
    chunk.columns.clear();
    for (const Span& span : morsel.columns)
      chunk.columns.push_back(slice(*span.column, span.first + first, rows, arena_));
    Counters& input = input_counters(open);
    input.rows_in += rows;
    if (open.steps.empty() || !open.steps[0].within_input) input.rows_out += rows;
    input.nanos += watch.lap();

    for (const LineStep& step : open.steps) {
      if (chunk.active.none()) break;
      Counters& line = counters[step.line];
      if (!step.within_input) line.rows_in += chunk.active.count();
      if (options_.profile_lanes) context_.lanes = &line.lanes;
      run_step(step, chunk);
      line.rows_out += chunk.active.count();
      line.nanos += watch.lap();
    }
    if (!chunk.active.none()) {
      Counters& line = counters[pipeline_.sink_line];
      if (pipeline_.sink_is_operator) line.rows_in += chunk.active.count();
      if (options_.profile_lanes) context_.lanes = &line.lanes;
      pipeline_.sink->consume(*local, chunk, context_);
      line.nanos += watch.lap();
    }
    columns_ = std::move(chunk.columns);
  }

  void run_step(const LineStep& step, ops::Chunk& chunk) {
    try {
      step.step->run(chunk, context_);
    } catch (const MemoryError& error) {  // of scratch memory, which does not know whose it is
      throw MemoryError(step.name + ": " + error.what());
    }
  }

  OpenPipeline& pipeline_;
  const Options& options_;
  const std::atomic<bool>& stop_;
  Arena arena_;
  EvalContext context_;
  std::vector<Vector> columns_;  // kept for its memory
  Counters uncounted_;
};

size_t workers_for(const OpenPipeline& pipeline, const Options& options) {
  const auto threads = static_cast<size_t>(std::max(options.threads, 1));
  size_t useful = 0;
  for (const OpenBranch& branch : pipeline.branches) useful += std::min(branch.input->max_readers(), threads);
  return std::clamp<size_t>(useful, 1, threads);
}

}  // namespace

Slicing slicing_for(const Options& options, int64_t rows) {
  Slicing slicing;
  slicing.vector_rows = options.vector_rows == 0 ? kVectorRows : options.vector_rows;
  int64_t morsel = kMorselRows;
  if (rows >= 0 && options.threads > 1)
    morsel = std::min(morsel, rows / (4 * options.threads));  // some for each thread
  slicing.morsel_rows = std::max<int64_t>(1, morsel / slicing.vector_rows) * slicing.vector_rows;
  return slicing;
}

Table run(OpenPipeline& pipeline, const Options& options, std::vector<Counters>& counters) {
  std::atomic<bool> stop{false};
  ProgressReport progress(options);
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < workers_for(pipeline, options); ++i) {
    workers.push_back(std::make_unique<Worker>(pipeline, options, counters.size(), stop));
  }
  run_workers(workers.size(), [&](size_t i) {
    try {
      workers[i]->run(progress);
    } catch (...) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
  });
  for (OpenBranch& branch : pipeline.branches) branch.input->finish();

  std::vector<std::unique_ptr<ops::Sink::Local>> locals;
  for (auto& worker : workers) {
    for (size_t line = 0; line < counters.size(); ++line) counters[line].add(worker->counters[line]);
    locals.push_back(std::move(worker->local));
  }
  workers.clear();

  Stopwatch watch;
  Arena arena(options.budget, "Scratch memory");
  EvalContext context = context_for(options, arena);
  Table table = pipeline.sink->finish(std::move(locals), context);
  counters[pipeline.sink_line].nanos += watch.lap();
  return table;
}

}  // namespace lanewise::exec
