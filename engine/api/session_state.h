#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/arrow_file.h"
#include "api/device_choice.h"
#include "api/session.h"
#include "api/session_gpu.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/spill_file.h"
#include "data/table_source.h"
#include "exec/cores/pipeline_runner.h"
#include "exec/placement/explain.h"
#include "gpu/driver.h"
#include "lanes/targets/target.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/results/row_stream.h"
#include "ops/scan/column_store.h"
#include "sql/database.h"
#include "sql/duckdb/errors.h"

namespace lanewise {

/// What a session holds, and how it runs statements.
struct Session::State {
  class Stopwatch {
   public:
    double lap() {
      const auto now = std::chrono::steady_clock::now();
      const std::chrono::duration<double> passed = now - start_;
      start_ = now;
      return passed.count();
    }

   private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  static lanes::Target target_named(const std::string& name);
  /// Lets the budget use temporary files, as the options say. Returns their folder, empty if there are none.
  std::string open_spill_file();
  /// The line of a profile for what DuckDB ran.
  static ops::OperatorProfile by_duckdb(const std::string& statement, double seconds);
  static void name(Schema& schema, const sql::Query& query);

  explicit State(const SessionOptions& session_options)
      : options(session_options),
        target(target_named(options.lanes)),
        device(parse_device(options.device)),
        places(device.offered() ? 1 : 0, device.place),
        strategy(codegen::parse_strategy(options.device_strategy)),
        join_lookup(ops::require_lookup_form(options.join_lookup)),
        threads(options.threads > 0 ? options.threads : machine_cores()),
        budget(options.engine_memory > 0  ? options.engine_memory
               : options.memory_limit > 0 ? options.memory_limit
                                          : machine_memory() / 10 * 8),
        store(&budget),
        database({.path = options.database,
                  .read_only = options.read_only,
                  .threads = threads,
                  .memory_limit = options.memory_limit,
                  .temp_directory = open_spill_file(),
                  .budget = &budget,
                  .cancellation = &cancellation,
                  .open_arrow = arrow_files}) {
    options.tuning.packed_only = options.lanes == "packed";
    options.tuning.pairs = lanes::require_pair_form(options.join_pairs);
    if (device.only) accelerator(device.place);
  }

  /// Whether all columns are of types that a GPU converts to Arrow's.
  static bool may_stay_on_device(const Schema& schema);

  SessionGpu& gpu(ops::Place place) { return gpus.try_emplace(place, place, budget).first->second; }
  /// The GPU of a place, opened by the first call. Null with `auto` if there is none.
  ops::Accelerator* accelerator(ops::Place place) {
    ops::Accelerator::Options wanted;
    wanted.memory_limit = options.device_memory;
    wanted.budget = &budget;
    wanted.strategy = strategy;
    wanted.threads = threads;
    if (options.device_rows > 0) wanted.batch_rows = (options.device_rows + 63) / 64 * 64;
    try {
      return gpu(place).open(wanted);
    } catch (const UserError&) {
      if (device.only) throw;
      return nullptr;
    }
  }
  std::vector<ops::DeviceView> device_views() {
    std::vector<ops::DeviceView> views;
    for (const ops::Place place : places) views.push_back(gpu(place).view(options.placement));
    return views;
  }
  ops::Rates host_rates() const {
    return options.placement ? with_threads_of(options.placement->host, options.placement->threads, threads)
                             : ops::usual_host_rates(target, options.tuning, threads);
  }
  ops::Options run_options() {
    ops::Options run;
    run.target = target;
    run.threads = threads;
    run.vector_rows = options.vector_rows;
    run.tuning = options.tuning;
    run.join_parts = options.join_parts;
    run.join_lookup = join_lookup;
    run.semi_joins_first = options.semi_joins_first;
    run.budget = &budget;
    run.cancellation = &cancellation;
    run.store = &store;
    run.profile_lanes = options.profile_lanes;
    run.progress = progress;
    run.device_strategy = strategy;
    if (!device.offered()) return run;
    run.accelerator = [this](ops::Place place) { return accelerator(place); };
    run.on_cores = exec::run_on_cores;
    run.device_only = device.only;
    run.device_views = [this] { return device_views(); };
    run.host_rates = host_rates();
    return run;
  }

  StatementResult answer_by_duckdb(const sql::Statement& statement) {
    StatementResult result;
    result.engine = "duckdb";
    Stopwatch watch;
    const sql::Database::Limits before = database.limits();
    std::optional<Table> table = database.run(statement, &budget);
    result.run_seconds = watch.lap();
    if (const sql::Database::Limits now = database.limits();
        now != before) {  // SET threads, SET memory_limit, SET temp_directory
      threads = now.threads;
      if (now.memory != before.memory) budget.set_limit(now.memory);
      if (now.temp_directory != before.temp_directory)
        budget.spill_to(now.temp_directory.empty() ? nullptr
                                                   : std::make_shared<SpillFile>(now.temp_directory));
    }
    result.has_rows = table.has_value();
    if (table) result.table = std::move(*table);
    result.profile.push_back(by_duckdb(statement.name, result.run_seconds));
    return result;
  }

  /// A statement that writes: our engine runs the query, DuckDB writes its rows.
  StatementResult answer_and_write(const sql::Statement& statement, bool keep_columns);

  /// A query, planned and then run.
  struct Answer {
    StatementResult result;
    sql::Query query;
    bool changes_rows = false;  ///< of tables, which it reads itself: their columns are soon out of date
  };
  Answer plan(const sql::Statement& statement) {
    Answer answer;
    auto& [result, query, changes_rows] = answer;
    result.engine = "lanewise";
    result.has_rows = true;
    Stopwatch watch;
    query = database.plan(statement);
    result.pivot_seconds = query.pivot_seconds;
    result.computed_by_duckdb.assign(query.computed_by_duckdb.begin(), query.computed_by_duckdb.end());
    result.plan_seconds = watch.lap() - query.pivot_seconds.value_or(0);
    result.files = database.files();
    result.table.schema = query.root->schema;
    name(result.table.schema, query);
    return answer;
  }
  /// Where the query fails, so does the transaction that the user began, as in DuckDB.
  template <class F>
  auto aborting(F run, const sql::Query& query, bool is_streamed) {
    try {
      return run();
    } catch (const sql::UnsupportedError&) {  // DuckDB may answer
      throw;
    } catch (const CancelledError& error) {  // a stream ends with its reader, too: that does not fail
      if (query.transaction == nullptr && !is_streamed) database.abort_transaction(error.what());
      throw;
    } catch (const std::exception& error) {
      if (query.transaction == nullptr) database.abort_transaction(error.what());
      throw;
    }
  }
  /// Runs it. The rows go to `stream`, if there is one.
  void execute(Answer& answer, bool keep_columns, ops::RowStream* stream, bool keep_on_device = false) {
    auto& [result, query, changes_rows] = answer;
    Stopwatch watch;
    ops::Options run = run_options();
    run.keep_columns = keep_columns && !changes_rows;
    run.source_may_skip = changes_rows;
    run.keep_on_device = keep_on_device && may_stay_on_device(result.table.schema);
    const std::shared_ptr<SpillFile> spill_file = budget.spill_file();
    const size_t spilled_before = spill_file ? (spill_file->take_peak(), spill_file->used()) : 0;
    exec::Result done =
        aborting([&] { return exec::execute(query.root, run, stream); }, query, stream != nullptr);
    result.run_seconds = watch.lap();
    if (spill_file) result.spilled = spill_file->take_peak() - spilled_before;
    result.table.batches = std::move(done.table.batches);
    if (done.kept != nullptr) {
      SessionGpu& there = gpu({done.kept->device()});
      result.on_device = there.keep_rows(std::move(done.kept), result.table.schema);
    }
    result.hot = done.from_hot_columns;
    result.profile = std::move(done.profile);
    if (query.pivot_seconds) result.profile.push_back(by_duckdb("Values of PIVOT", *query.pivot_seconds));
  }
  /// Ends its scans and its transaction, unless that goes on.
  static void end(sql::Query& query, bool goes_on = false) {
    query.root = nullptr;
    query.executor = nullptr;
    if (!goes_on) query.transaction = nullptr;
  }
  Answer answer(const sql::Statement& statement, bool keep_columns, bool keep_on_device) {
    Answer answer = plan(statement);
    execute(answer, keep_columns, nullptr, keep_on_device);
    end(answer.query);
    return answer;
  }
  /// Throws UserError while a stream is being read.
  void check_idle() const {
    if (streams)
      throw UserError("a result of this session is still being read: read it to its end or close it");
  }

  std::string explain(const sql::Statement& statement, bool kernels) {
    if (statement.kind == sql::Statement::Kind::kOther)
      return fmt::format("DuckDB runs {}\n", statement.name);
    const sql::Query planned = database.plan(statement);
    std::string text =
        fmt::format("{}lanes {}, {} thread{}\n", plan::to_string(*planned.root, target, options.tuning),
                    lanes::name(target), threads, threads == 1 ? "" : "s");
    if (statement.kind != sql::Statement::Kind::kQuery)
      text = fmt::format("DuckDB runs {} with the rows of:\n{}", statement.name, text);
    for (const ops::Place place : places) gpu(place).look();
    return text + exec::explain_pipelines(planned.root, kernels, run_options());
  }

  /// The GPU that holds imported arrays.
  gpu::Device& open_device(int64_t ordinal) const {
    if (device.offered() && ordinal != device.place.gpu) {
      throw UserError(fmt::format("the Arrow arrays are on GPU {}, but the session uses {}", ordinal,
                                  to_string(device.place)));
    }
    if (ordinal < 0 || ordinal > std::numeric_limits<int>::max())
      throw UserError(fmt::format("the Arrow arrays are on GPU {}, which cannot exist", ordinal));
    return gpu::Driver::system().device(static_cast<int>(ordinal));
  }
  arrow::OpenDevice opener() {
    return [this](int64_t ordinal) -> gpu::Device& { return open_device(ordinal); };
  }
  /// False if there was none.
  bool drop(const std::string& name) {
    const auto source = database.remove_source(name);
    if (source == nullptr) return false;
    store.forget(source->identity());
    for (auto& [place, gpu] : gpus) gpu.forget(source->identity());
    return true;
  }
  void add(const std::string& name, std::shared_ptr<const Source> source) {
    drop(name);
    database.add_source(name, std::move(source));
  }

  SessionOptions options;
  lanes::Target target;
  const DeviceChoice device;
  const std::vector<ops::Place> places;  // of the GPUs that queries may use
  const codegen::Strategy strategy;
  const ops::LookupForm join_lookup;
  int threads;
  MemoryBudget budget;  // outlives everything that is charged to it
  ops::ColumnStore store;
  sql::Database database;
  std::map<ops::Place, SessionGpu> gpus;
  Cancellation cancellation;
  bool begun = false;                // set by begin(), which reset the flag
  std::atomic<bool> streams{false};  // a ResultStream is being read
  std::function<void(const std::string& what, double share)> progress;
};

}  // namespace lanewise
