#include "api/session.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>
#include <utility>

#include "api/arrow_file.h"
#include "api/device_choice.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/spill_file.h"
#include "data/arrow/arrow_stream.h"
#include "data/table_source.h"
#include "exec/gpu/accelerator.h"
#include "exec/row_stream.h"
#include "gpu/driver.h"
#include "gpu/error.h"
#include "gpu/modules/compiler.h"
#include "lanes/targets/target.h"
#include "sql/database.h"
#include "sql/errors.h"

namespace lanewise {

namespace {

lanes::Target target_named(const std::string& name) {
  const auto target = lanes::parse_target(name);
  if (!target) {
    throw UserError(fmt::format(
        "there are no lanes named '{}'; choose simd, avx512, avx2, neon, interleaved, auto, scalar, "
        "branching, emulated or packed",
        name));
  }
  if (!lanes::supported(*target)) {
    throw UserError(fmt::format(
        "this machine does not support the lanes '{}'; 'lanewise info' lists those that it does", name));
  }
  return *target;
}

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

/// The value of this DuckDB setting, if it must differ from the default.
std::optional<std::string> temp_directory(const SessionOptions& options) {
  const std::string& given = options.temp_directory;
  if (given.empty()) return std::nullopt;
  if (given == kNoTempDirectory) return "";
  std::error_code error;
  if (!std::filesystem::is_directory(given, error))
    throw UserError(fmt::format("the temporary directory '{}' does not exist or is not a directory", given));
  return given;
}

exec::OperatorProfile by_duckdb(const std::string& statement, double seconds) {
  exec::OperatorProfile op;
  op.name = statement;
  op.nanos = static_cast<uint64_t>(seconds * 1e9);
  op.target = "duckdb";
  return op;
}

/// Releases a stream at the end of its scope.
struct ReleaseStream {
  void operator()(ArrowArrayStream* stream) const { stream->release(stream); }
};
using ReleasedStream = std::unique_ptr<ArrowArrayStream, ReleaseStream>;

/// The result of EXPLAIN: a row for each line.
StatementResult explained(const std::string& text) {
  std::vector<Value> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(Value::varchar(text.substr(at, end - at)));
    at = end + 1;
  }
  StatementResult result;
  result.engine = "lanewise";
  result.has_rows = true;
  result.table.schema = {{"plan", TypeId::kVarchar}};
  result.table.batches.push_back(
      {static_cast<int64_t>(lines.size()), {make_column(TypeId::kVarchar, lines)}});
  return result;
}

/// The result of EXPLAIN ANALYZE: a row for each operator.
Table profile_table(const std::vector<exec::OperatorProfile>& profile) {
  std::vector<std::vector<Value>> columns(7);
  for (const exec::OperatorProfile& op : profile) {
    const Value row[] = {Value::varchar(std::string(static_cast<size_t>(op.depth) * 2, ' ') + op.name),
                         Value::varchar(op.details),
                         Value::int64(static_cast<int64_t>(op.rows_in)),
                         Value::int64(static_cast<int64_t>(op.rows_out)),
                         Value(TypeId::kFloat64, static_cast<double>(op.nanos) * 1e-9),
                         Value::int64(static_cast<int64_t>(op.bytes)),
                         Value::varchar(op.target)};
    for (size_t i = 0; i < columns.size(); ++i) columns[i].push_back(row[i]);
  }
  Table table{{{"operator", TypeId::kVarchar},
               {"details", TypeId::kVarchar},
               {"rows_in", TypeId::kInt64},
               {"rows_out", TypeId::kInt64},
               {"seconds", TypeId::kFloat64},
               {"bytes_read", TypeId::kInt64},
               {"target", TypeId::kVarchar}},
              {}};
  Batch batch;
  batch.rows = static_cast<int64_t>(profile.size());
  for (size_t i = 0; i < columns.size(); ++i)
    batch.columns.push_back(make_column(table.schema[i].type, columns[i]));
  table.batches.push_back(std::move(batch));
  return table;
}

void name(Schema& schema, const sql::Query& query) {
  for (size_t i = 0; i < schema.size() && i < query.names.size(); ++i) {
    schema[i].name = query.names[i];
    schema[i].text_of = query.texts[i];
  }
}

}  // namespace

struct Session::State {
  explicit State(const SessionOptions& session_options)
      : options(session_options),
        target(target_named(options.lanes)),
        device(parse_device(options.device)),
        strategy(exec::parse_strategy(options.device_strategy)),
        threads(options.threads > 0 ? options.threads : machine_cores()),
        budget(options.engine_memory > 0  ? options.engine_memory
               : options.memory_limit > 0 ? options.memory_limit
                                          : machine_memory() / 10 * 8),
        store(&budget),
        database({.path = options.database,
                  .read_only = options.read_only,
                  .threads = threads,
                  .memory_limit = options.memory_limit,
                  .temp_directory = temp_directory(options),
                  .budget = &budget,
                  .cancellation = &cancellation,
                  .open_arrow = arrow_files}) {
    options.tuning.packed_only = options.lanes == "packed";
    if (options.temp_directory != kNoTempDirectory)
      budget.spill_to(std::make_shared<SpillFile>(options.temp_directory));
    if (device.only) accelerator();
  }

  /// The GPU, opened by the first call. Null with `auto` if there is none.
  exec::Accelerator* accelerator() {
    if (gpu || no_gpu) return gpu.get();
    exec::Accelerator::Options wanted;
    wanted.ordinal = device.ordinal;
    wanted.memory_limit = options.device_memory;
    wanted.budget = &budget;
    wanted.strategy = strategy;
    wanted.threads = threads;
    if (options.device_rows > 0) wanted.batch_rows = (options.device_rows + 63) / 64 * 64;
    try {
      gpu = std::make_unique<exec::Accelerator>(wanted);
      properties = gpu->device.properties();
    } catch (const UserError& error) {  // a DeviceError or a MemoryError
      if (device.only) throw;
      no_gpu = error.what();
    }
    return gpu.get();
  }

  exec::DeviceView device_view() const {
    const bool measured =
        options.placement && (!properties || properties->name == options.placement->device.name);
    exec::DeviceView view;
    view.ordinal = device.ordinal;
    if (properties) view.architecture = properties->architecture();
    view.opened = gpu.get();
    view.missing = no_gpu.value_or("");
    if (gpu && gpu->device.lost()) view.missing = "the GPU is lost to this process";
    view.costs = measured ? options.placement->device
                          : exec::usual_device_costs(properties.value_or(gpu::Properties()));
    return view;
  }
  exec::Rates host_rates() const {
    return options.placement ? with_threads_of(options.placement->host, options.placement->threads, threads)
                             : exec::usual_host_rates(target, options.tuning, threads);
  }
  /// Finds the GPU through the driver, without opening it.
  void look_for_gpu() {
    if (properties || no_gpu) return;
    try {
      const gpu::Driver& driver = gpu::Driver::system();
      gpu::Compiler::system();  // without it a GPU is useless
      properties = driver.properties(device.ordinal);
    } catch (const gpu::DeviceError& error) {
      no_gpu = error.what();
    }
  }
  exec::Options run_options() {
    exec::Options run;
    run.target = target;
    run.threads = threads;
    run.vector_rows = options.vector_rows;
    run.tuning = options.tuning;
    run.join_parts = options.join_parts;
    run.budget = &budget;
    run.cancellation = &cancellation;
    run.store = &store;
    run.profile_lanes = options.profile_lanes;
    run.progress = progress;
    run.device_strategy = strategy;
    if (!device.offered) return run;
    run.accelerator = [this] { return accelerator(); };
    run.device_only = device.only;
    run.device_view = [this] { return device_view(); };
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

  /// COPY, CREATE TABLE AS or INSERT: our engine runs the query, DuckDB writes its rows.
  StatementResult answer_and_write(const sql::Statement& statement, bool keep_columns);

  /// A query, planned and then run.
  struct Answer {
    StatementResult result;
    sql::Query query;
  };
  Answer plan(const sql::Statement& statement) {
    Answer answer;
    auto& [result, query] = answer;
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
  /// Runs it and ends its transaction. The rows go to `stream`, if there is one.
  void execute(Answer& answer, bool keep_columns, exec::RowStream* stream) {
    auto& [result, query] = answer;
    Stopwatch watch;
    exec::Options run = run_options();
    run.keep_columns = keep_columns;
    const std::shared_ptr<SpillFile> spill_file = budget.spill_file();
    const size_t spilled_before = spill_file ? (spill_file->take_peak(), spill_file->used()) : 0;
    exec::Result done = exec::execute(query.root, run, stream);
    result.run_seconds = watch.lap();
    if (spill_file) result.spilled = spill_file->take_peak() - spilled_before;
    result.table.batches = std::move(done.table.batches);
    result.hot = done.from_hot_columns;
    result.profile = std::move(done.profile);
    if (query.pivot_seconds) result.profile.push_back(by_duckdb("Values of PIVOT", *query.pivot_seconds));
    end(query);
  }
  /// Ends its transaction.
  static void end(sql::Query& query) {
    query.root = nullptr;
    query.executor = nullptr;
    query.transaction = nullptr;
  }
  Answer answer(const sql::Statement& statement, bool keep_columns) {
    Answer answer = plan(statement);
    execute(answer, keep_columns, nullptr);
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
    if (statement.kind == sql::Statement::Kind::kWrite)
      text = fmt::format("DuckDB runs {} with the rows of:\n{}", statement.name, text);
    if (device.offered) look_for_gpu();
    if (kernels || device.offered) text += exec::explain_device(planned.root, kernels, run_options());
    return text;
  }

  /// The GPU that holds imported arrays.
  gpu::Device& open_device(int64_t ordinal) const {
    if (device.offered && ordinal != device.ordinal) {
      throw UserError(fmt::format("the Arrow arrays are on GPU {}, but the session uses cuda:{}", ordinal,
                                  device.ordinal));
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
    if (gpu) gpu->store.forget(source->identity());
    return true;
  }
  void add(const std::string& name, std::shared_ptr<const Source> source) {
    drop(name);
    database.add_source(name, std::move(source));
  }

  SessionOptions options;
  lanes::Target target;
  DeviceChoice device;
  const exec::Strategy strategy;
  int threads;
  MemoryBudget budget;  // outlives everything that is charged to it
  exec::ColumnStore store;
  sql::Database database;
  std::unique_ptr<exec::Accelerator> gpu;
  std::optional<gpu::Properties> properties;  // of the GPU, if it was looked for
  std::optional<std::string> no_gpu;          // why there is none
  Cancellation cancellation;
  bool begun = false;                // set by begin(), which reset the flag
  std::atomic<bool> streams{false};  // a ResultStream is being read
  std::function<void(const std::string& what, double share)> progress;
};

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>(options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;

bool Session::may_change_database(const std::string& sql) { return sql::may_change_database(sql); }

std::vector<std::string> Session::split(const std::string& sql) {
  state_->check_idle();
  return state_->database.split(sql);
}

std::vector<std::string> Session::table_names(const std::string& sql) {
  state_->check_idle();
  return state_->database.table_names(sql);
}

namespace {
constexpr size_t kStreamedBytes = size_t{64} << 20;  // of rows that a ResultStream holds
}

struct ResultStream::State {
  ~State() { stop(); }
  void stop() {
    if (!thread.joinable()) return;
    rows.stop();
    session.cancellation.cancel();
    session.database.interrupt();
    thread.join();
    session.cancellation.reset();
    free_session();
  }
  std::optional<Batch> next();
  Batches batches() {
    return {answer.result.table.schema, -1, [this] { return next(); }};
  }
  void start(bool keep_columns) {
    thread = std::thread([this, keep_columns] {
      try {
        session.execute(answer, keep_columns, &rows);
        rows.end();
      } catch (...) {
        session.end(answer.query);
        rows.end(std::current_exception());
      }
    });
    session.database.set_query_running(true);
    session.streams = true;
  }
  void free_session() {
    session.database.set_query_running(false);
    session.streams = false;
  }

  Session::State& session;
  Session::State::Answer answer{};
  size_t given = 0;             // batches of a result that was complete from the start
  std::exception_ptr failed{};  // what next() threw
  exec::RowStream rows{std::min(kStreamedBytes, session.budget.limit() / 8)};
  std::thread thread{};
};

ResultStream::ResultStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResultStream::ResultStream(ResultStream&&) noexcept = default;
ResultStream::~ResultStream() = default;

const Schema& ResultStream::schema() const { return state_->answer.result.table.schema; }
const StatementResult& ResultStream::result() const { return state_->answer.result; }

std::optional<Batch> ResultStream::next() { return state_->next(); }

Batches ResultStream::batches() { return state_->batches(); }

void ResultStream::stop() { state_->stop(); }

std::optional<Batch> ResultStream::State::next() {
  if (!thread.joinable()) {
    if (failed) std::rethrow_exception(failed);
    std::vector<Batch>& batches = answer.result.table.batches;
    if (given == batches.size()) return std::nullopt;
    return std::exchange(batches[given++], {});
  }
  try {
    if (auto batch = rows.next()) return batch;
  } catch (...) {
    failed = std::current_exception();
  }
  thread.join();
  free_session();
  if (failed) std::rethrow_exception(failed);
  return std::nullopt;
}

ResultStream Session::stream(const std::string& statement, bool keep_columns, const Table& parameters) {
  state_->check_idle();
  auto made = std::make_unique<ResultStream::State>(*state_);
  sql::Statement parsed = state_->database.parse(statement);
  parsed.parameters = parameters;
  if (parsed.kind == sql::Statement::Kind::kQuery && parsed.explain == sql::Statement::Explain::kNo) {
    if (!std::exchange(state_->begun, false)) state_->cancellation.reset();
    try {
      made->answer = state_->plan(parsed);
      made->start(keep_columns);
      return ResultStream(std::move(made));
    } catch (const sql::UnsupportedError&) {
      if (!state_->options.fallback_duckdb && !state_->database.falls_back()) throw;
      state_->begun = true;
    }
  }
  made->answer.result = run(statement, keep_columns, parameters);
  return ResultStream(std::move(made));
}

StatementResult Session::State::answer_and_write(const sql::Statement& statement, bool keep_columns) {
  ResultStream::State stream{*this, plan(statement)};
  auto& [result, query] = stream.answer;
  Stopwatch watch;
  std::optional<Table> written;
  const auto write = [&](const Batches& rows) {
    written = database.write(statement, rows, query.names, query.types, &budget);
    result.write_seconds = std::max(watch.lap() - result.run_seconds, 0.0);
  };
  if (database.writes_while_running(statement, query)) {
    stream.start(keep_columns);
    write(stream.batches());
    stream.stop();  // CREATE TABLE IF NOT EXISTS may not have read all rows
  } else {
    execute(stream.answer, keep_columns, nullptr);
    const Table rows = std::move(result.table);
    write(batches_of(rows));
  }
  result.has_rows = written.has_value();
  result.table = written ? std::move(*written) : Table();
  for (exec::OperatorProfile& op : result.profile) ++op.depth;
  result.profile.insert(result.profile.begin(), by_duckdb(statement.name, *result.write_seconds));
  return std::move(result);
}

StatementResult Session::run(const std::string& statement, bool keep_columns, const Table& parameters) {
  state_->check_idle();
  if (!std::exchange(state_->begun, false)) state_->cancellation.reset();
  sql::Statement parsed = state_->database.parse(statement);
  parsed.parameters = parameters;
  const auto run = [&] {
    switch (parsed.kind) {
      case sql::Statement::Kind::kQuery:
        return state_->answer(parsed, keep_columns).result;
      case sql::Statement::Kind::kWrite:
        return state_->answer_and_write(parsed, keep_columns);
      case sql::Statement::Kind::kOther:
        break;
    }
    return state_->answer_by_duckdb(parsed);
  };
  try {
    if (parsed.explain == sql::Statement::Explain::kOtherFormat)
      sql::unsupported("EXPLAIN in another format than text is not");
    if (parsed.explain == sql::Statement::Explain::kPlan) {
      Stopwatch watch;
      StatementResult result = explained(state_->explain(parsed, false));
      result.plan_seconds = watch.lap();
      return result;
    }
    StatementResult result = run();
    if (parsed.explain == sql::Statement::Explain::kProfile) {
      result.table = profile_table(result.profile);
      result.has_rows = true;
    }
    return result;
  } catch (const sql::UnsupportedError& error) {
    if (!state_->options.fallback_duckdb && !state_->database.falls_back()) throw;
    StatementResult result = state_->answer_by_duckdb(parsed);
    result.files = state_->database.files();
    result.fallback_reason = error.what();
    return result;
  }
}

std::string Session::explain(const std::string& query, bool kernels, const Table& parameters) {
  state_->check_idle();
  sql::Statement statement = state_->database.parse(query);
  statement.parameters = parameters;
  return state_->explain(statement, kernels);
}

Table Session::as_json(const Table& table) { return state_->database.as_json(table); }
Table Session::in_zone(const Table& table) { return state_->database.in_zone(table); }

void Session::write_parquet(const Batches& rows, const std::string& path) {
  state_->database.write_parquet(rows, path);
}

void Session::add_table(const std::string& name, ArrowArrayStream* stream, bool keep_columns) {
  state_->check_idle();
  state_->add(name, table_source(name, arrow::import_stream(stream, &state_->budget), keep_columns));
}

void Session::add_table(const std::string& name, ArrowDeviceArrayStream* stream) {
  state_->check_idle();
  state_->add(name, arrow::import_device_stream(name, stream, state_->opener(), &state_->budget));
}

void Session::add_table(const std::string& name, ArrowSchema* schema, std::span<ArrowDeviceArray> arrays) {
  state_->check_idle();
  state_->add(name, arrow::import_device_arrays(name, schema, arrays, state_->opener(), &state_->budget));
}

void Session::drop_table(const std::string& name) {
  state_->check_idle();
  if (!state_->drop(name)) throw UserError(fmt::format("no table '{}' was added", name));
}

void Session::add_function(std::shared_ptr<const ops::HostFunction> function) {
  state_->check_idle();
  state_->database.add_function(std::move(function));
}

void Session::drop_function(const std::string& name) {
  state_->check_idle();
  if (!state_->database.remove_function(name))
    throw UserError(fmt::format("no function '{}' was added", name));
}

void Session::to_arrow(Table table, ArrowArrayStream* out) {
  *out = {};
  state_->database.to_arrow(std::move(table), out);
}

void Session::to_arrow(const Schema& schema, ArrowSchema* out) {
  ArrowArrayStream none{};
  to_arrow(Table{schema, {}}, &none);
  const ReleasedStream released(&none);
  arrow::check_stream(none, none.get_schema(&none, out));
}

void Session::to_arrow(const Schema& schema, Batch batch, ArrowArray* out) {
  ArrowArrayStream one{};
  to_arrow(Table{schema, {std::move(batch)}}, &one);
  const ReleasedStream released(&one);
  arrow::check_stream(one, one.get_next(&one, out));
}

void Session::to_device(const Table& table, ArrowDeviceArrayStream* out) {
  *out = {};
  if (!state_->device.offered)
    throw UserError("the session has no GPU: set its option 'device' to cuda or auto");
  exec::Accelerator* const gpu = state_->accelerator();
  if (gpu == nullptr) throw UserError(*state_->no_gpu);
  const auto make_room = [gpu](size_t bytes) {
    const size_t freed = gpu->store.evict(bytes);
    gpu->pool.trim();
    return freed;
  };
  arrow::export_device_stream(table, gpu->device, out, make_room, &state_->budget);
}

void Session::begin() {
  state_->cancellation.reset();
  state_->begun = true;
}

void Session::cancel() {
  state_->cancellation.cancel();
  state_->database.interrupt();
}

void Session::set_progress(std::function<void(const std::string& what, double share)> progress) {
  state_->progress = std::move(progress);
}

const MemoryBudget& Session::budget() const { return state_->budget; }

}  // namespace lanewise
