#include "exec/cores/run.h"

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "ops/run/first_fault.h"
#include "ops/scan/slicing.h"
#include "primitives/parallel.h"

namespace lanewise::exec {

namespace {

constexpr std::string_view kScratch = "Scratch memory";
constexpr int kBranchShift = 58;  // of an order: six bits for the branch, see kMaxBranches
constexpr uint64_t kMorselMask = (uint64_t{1} << kBranchShift) - 1;

/// The limit of orders within a branch, for the limit `below` of all.
uint64_t below_within(size_t branch, uint64_t below) {
  if (below == UINT64_MAX || below >> kBranchShift > branch) return UINT64_MAX;
  return below >> kBranchShift == branch ? below & kMorselMask : 0;
}

size_t bytes_of(const ops::Morsel& morsel) {
  size_t bytes = 0;
  for (const ops::Span& span : morsel.columns) {
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

/// The order below which all morsels have been processed. Branches of the phase are open.
uint64_t processed_below(const OpenPipeline& pipeline, size_t phase) {
  for (uint64_t branch = 0; branch < pipeline.branches.size(); ++branch) {
    const OpenBranch& open = pipeline.branches[branch];
    if (open.phase < phase) continue;
    const uint64_t below = open.phase > phase ? 0 : open.input->processed_below();
    if (below != UINT64_MAX) return (branch << kBranchShift) + std::min(below, kMorselMask);
  }
  return UINT64_MAX;
}

/// Reports the progress of a run from time to time.
class ProgressReport {
 public:
  explicit ProgressReport(const ops::Options& options) : options_(options) {}

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
  const ops::Options& options_;
  std::atomic<std::chrono::steady_clock::rep> last_{0};
};

/// Runs a pipeline on one thread.
class Worker {
 public:
  Worker(OpenPipeline& pipeline, const ops::Options& options, size_t lines, const std::atomic<bool>& stop,
         ops::FirstFault& fault)
      : local(pipeline.sink->local()),
        counters(lines),
        pipeline_(pipeline),
        options_(options),
        stop_(stop),
        fault_(fault) {
    arenas_.push_back(std::make_unique<Arena>(options.budget, kScratch));
    context_ = context_for(options, *arenas_[0]);
  }

  void run(ProgressReport& progress, size_t phase) {
    for (size_t branch = 0; branch < pipeline_.branches.size(); ++branch) {
      OpenBranch& open = pipeline_.branches[branch];
      if (open.phase != phase) continue;
      const auto reader = open.input->reader();
      try {
        run_branch(branch, *reader, progress);
      } catch (...) {
        if (pipeline_.stream != nullptr) pipeline_.stream->stream().abort();
        throw;
      }
    }
  }

  std::unique_ptr<ops::Sink::Local> local;
  std::vector<ops::Counters> counters;

 private:
  void run_branch(size_t branch, ops::Reader& reader, ProgressReport& progress) {
    OpenBranch& open = pipeline_.branches[branch];
    ops::Counters& input = input_counters(open);
    ops::Morsel morsel;
    ops::Stopwatch watch;
    while (!stopped() && next(reader, morsel, branch)) {
      input.nanos += watch.lap();
      const uint64_t order = (static_cast<uint64_t>(branch) << kBranchShift) + morsel.order;
      if (!may_matter(open, morsel, order)) break;  // later ones may not matter either
      input.bytes += bytes_of(morsel);
      run_morsel(open, morsel, order);
      progress.morsel_done(pipeline_, branch);
      watch.lap();
    }
  }

  /// The reader's next morsel of this branch.
  bool next(ops::Reader& reader, ops::Morsel& morsel, uint64_t branch) {
    if (pipeline_.stream != nullptr) ops::StreamSink::begin(*local, ops::RowStream::kNoMorsel);
    const bool found = reader.next(morsel, below_within(branch, needed_below()));
    if (pipeline_.stream == nullptr) return found;
    if (found) ops::StreamSink::begin(*local, (branch << kBranchShift) + morsel.order);
    pipeline_.stream->stream().complete_below(processed_below(pipeline_, pipeline_.branches[branch].phase));
    return found;
  }

  /// Rows from this order on do not matter: to the sink, or because an earlier row raised an error.
  uint64_t needed_below() const { return std::min(pipeline_.sink->needed_below(), fault_.order()); }

  bool stopped() const {
    if (options_.cancellation != nullptr) options_.cancellation->check();
    return stop_.load(std::memory_order_relaxed);
  }

  ops::Counters& input_counters(const OpenBranch& open) {
    return open.line == plan::kNoLine ? uncounted_ : counters[open.line];
  }

  bool may_matter(const OpenBranch& open, const ops::Morsel& morsel, uint64_t order) const {
    if (morsel.bounds == nullptr) return true;
    const ExprPtr needed = pipeline_.sink->needed(order);
    return needed == nullptr || ops::may_hold(*needed, [&](size_t column) {
             return column == open.ordered_by ? morsel.bounds : nullptr;
           });
  }

  void run_morsel(const OpenBranch& open, const ops::Morsel& morsel, uint64_t order) {
    const uint64_t first_order = order;
    for (int64_t first = 0; first < morsel.rows; first += morsel.slice_rows, ++order) {
      if (stopped() || order >= needed_below()) return;
      try {
        run_slice(open, morsel, first, order);
      } catch (const MemoryError&) {
        throw;
      } catch (const UserError&) {  // an earlier row may raise another error, which takes precedence
        fault_.note(order);
        if (pipeline_.stream != nullptr) pipeline_.stream->stream().cut(first_order);
        local = pipeline_.sink->local();
        context_.arena = arenas_[0].get();
      }
    }
  }

  void run_slice(const OpenBranch& open, const ops::Morsel& morsel, int64_t first, uint64_t order) {
    ops::Stopwatch watch;
    Arena& arena = *arenas_[0];
    arena.reset();
    const auto rows = static_cast<uint32_t>(std::min<int64_t>(morsel.slice_rows, morsel.rows - first));
    ops::Chunk chunk{order, rows, std::move(columns_), ActiveSet(rows, arena)};
    chunk.columns.clear();
    for (const ops::Span& span : morsel.columns)
      chunk.columns.push_back(slice(*span.column, span.first + first, rows, arena));
    ops::Counters& input = input_counters(open);
    input.rows_in += rows;
    if (open.steps.empty() || !open.steps[0].within_input) input.rows_out += rows;
    input.nanos += watch.lap();

    rows_of_slice_ = 0;
    advance(open, 0, chunk, 0, watch);
    columns_ = std::move(chunk.columns);
  }

  /// Runs the steps from `at` on for the chunk. Its memory is in arena `depth`.
  void advance(const OpenBranch& open, size_t at, ops::Chunk& chunk, size_t depth, ops::Stopwatch& watch) {
    for (; at < open.steps.size() && !chunk.active.none(); ++at) {
      const LineStep& step = open.steps[at];
      ops::Counters& line = counters[step.line];
      if (!step.within_input) line.rows_in += chunk.active.count();
      if (options_.profile_lanes) context_.lanes = &line.lanes;
      if (step.expander != nullptr) return expand(open, at, chunk, depth, watch);
      named(step, depth, [&] { step.step->run(chunk, context_); });
      // The scan's line counts only the rows that pass the last of its steps.
      const bool input_goes_on = at + 1 < open.steps.size() && open.steps[at + 1].within_input;
      if (!input_goes_on || chunk.active.none()) line.rows_out += chunk.active.count();
      line.nanos += watch.lap();
    }
    if (chunk.active.none()) return;
    ops::Counters& line = counters[pipeline_.sink_line];
    if (pipeline_.sink_is_operator) line.rows_in += chunk.active.count();
    if (options_.profile_lanes) context_.lanes = &line.lanes;
    chunk.first_row = rows_of_slice_;
    rows_of_slice_ += chunk.rows;
    placed(open.columns, depth, [&] { pipeline_.sink->consume(*local, chunk, context_); });
    line.nanos += watch.lap();
  }

  /// Runs the later steps for all chunks that step `at` makes from one.
  void expand(const OpenBranch& open, size_t at, const ops::Chunk& in, size_t depth, ops::Stopwatch& watch) {
    const LineStep& step = open.steps[at];
    ops::Counters& line = counters[step.line];
    if (arenas_.size() <= depth + 1) arenas_.push_back(std::make_unique<Arena>(options_.budget, kScratch));
    const uint32_t rows = options_.vector_rows == 0 ? ops::kVectorRows : options_.vector_rows;
    std::unique_ptr<ops::Expansion> expansion;
    named(step, depth, [&] { expansion = step.expander->expand(in, rows, context_); });
    for (bool more = true; more && in.order < needed_below() && !stopped();) {
      Arena& arena = *arenas_[depth + 1];
      arena.reset();
      context_.arena = &arena;
      if (options_.profile_lanes) context_.lanes = &line.lanes;
      ops::Chunk out{in.order, 0, {}, ActiveSet(0, arena)};
      named(step, depth, [&] { more = expansion->next(out, context_); });
      line.rows_out += more ? out.active.count() : 0;
      line.nanos += watch.lap();
      if (more) advance(open, at + 1, out, depth + 1, watch);
    }
    context_.arena = arenas_[depth].get();
  }

  /// Calls f() for the step.
  template <class F>
  void named(const LineStep& step, size_t depth, F f) {
    try {
      placed(step.columns, depth, f);
    } catch (const MemoryError& error) {  // of scratch memory, which has no owner's name
      throw MemoryError(step.name + ": " + error.what());
    }
  }

  /// Calls f() for a chunk of these columns. Chunks made by an expander do not have the slice's rows.
  template <class F>
  static void placed(const ChunkColumns& columns, size_t depth, F f) {
    try {
      f();
    } catch (ConversionError& error) {
      if (columns.names != nullptr) ops::name_argument(error, *columns.names);
      error.of_input = error.argument == nullptr || ops::reads_only(*error.argument, columns.of_input);
      if (depth != 0) error.row.reset();
      throw;
    }
  }

  OpenPipeline& pipeline_;
  const ops::Options& options_;
  const std::atomic<bool>& stop_;
  ops::FirstFault& fault_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // by depth: for slices, for the chunks made from them, ...
  uint64_t rows_of_slice_ = 0;                  // rows of the slice that reached the sink
  EvalContext context_;
  std::vector<Vector> columns_;  // reused for its memory
  ops::Counters uncounted_;
};

size_t workers_for(const OpenPipeline& pipeline, const ops::Options& options) {
  const auto threads = static_cast<size_t>(pipeline.sink->in_order() ? 1 : std::max(options.threads, 1));
  size_t useful = 0;
  for (const OpenBranch& branch : pipeline.branches)
    useful += branch.input == nullptr ? threads : std::min(branch.input->max_readers(), threads);
  return std::clamp<size_t>(useful, 1, threads);
}

/// Throws the error of the first row that raised one.
void raise(const ops::FirstFault& fault, const OpenPipeline& pipeline, const ops::Options& options) {
  if (fault.error() == nullptr) return;
  try {
    std::rethrow_exception(fault.error());
  } catch (const ConversionError& error) {
    const OpenBranch& branch = pipeline.branches[fault.order() >> kBranchShift];
    if (!error.of_input) throw ops::with_place(error, "", std::nullopt);
    std::optional<uint64_t> row;
    if (error.row && !options.source_may_skip)
      row = branch.input->row_of(fault.order() & kMorselMask, *error.row);
    throw ops::with_place(error, branch.what, row);
  }
}

size_t last_phase(const OpenPipeline& pipeline) {
  size_t last = 0;
  for (const OpenBranch& branch : pipeline.branches) last = std::max(last, branch.phase);
  return last;
}

}  // namespace

Table run(OpenPipeline& pipeline, const ops::Options& options, std::vector<ops::Counters>& counters) {
  std::atomic<bool> stop{false};
  ops::FirstFault fault;
  ProgressReport progress(options);
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < workers_for(pipeline, options); ++i) {
    workers.push_back(std::make_unique<Worker>(pipeline, options, counters.size(), stop, fault));
  }
  const auto for_phase = [&](size_t phase, auto f) {
    for (OpenBranch& branch : pipeline.branches)
      if (branch.phase == phase) f(branch);
  };
  const size_t last = last_phase(pipeline);
  for (size_t phase = 0; phase <= last; ++phase) {
    for_phase(phase, [](OpenBranch& branch) {
      if (!branch.open_late) return;
      OpenBranch opened = branch.open_late();
      branch.input = std::move(opened.input);
      branch.steps = std::move(opened.steps);
      branch.columns.of_input = std::move(opened.columns.of_input);
    });
    run_workers(workers.size(), [&](size_t i) {
      try {
        workers[i]->run(progress, phase);
      } catch (...) {
        stop.store(true, std::memory_order_relaxed);
        throw;
      }
    });
    raise(fault, pipeline, options);
    for_phase(phase, [](OpenBranch& branch) {
      branch.input->finish();
      if (!branch.open_late) return;
      branch.input.reset();
      branch.steps.clear();
    });
  }

  std::vector<std::unique_ptr<ops::Sink::Local>> locals;
  for (auto& worker : workers) {
    for (size_t line = 0; line < counters.size(); ++line) counters[line].add(worker->counters[line]);
    locals.push_back(std::move(worker->local));
  }
  workers.clear();

  ops::Stopwatch watch;
  Arena arena(options.budget, kScratch);
  EvalContext context = context_for(options, arena);
  Table table = pipeline.sink->finish(std::move(locals), context);
  counters[pipeline.sink_line].nanos += watch.lap();
  return table;
}

}  // namespace lanewise::exec
