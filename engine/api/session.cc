#include "api/session.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "api/device_choice.h"
#include "base/error.h"
#include "base/machine.h"
#include "data/table_source.h"
#include "device/compiler.h"
#include "device/driver.h"
#include "device/error.h"
#include "exec/device/accelerator.h"
#include "lanes/target.h"
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

void rename(Schema& schema, const std::vector<std::string>& names) {
  for (size_t i = 0; i < schema.size() && i < names.size(); ++i) schema[i].name = names[i];
}

}  // namespace

struct Session::State {
  explicit State(const SessionOptions& session_options)
      : options(session_options),
        target(target_named(options.lanes)),
        device(parse_device(options.device)),
        strategy(exec::parse_strategy(options.device_strategy)),
        threads(options.threads > 0 ? options.threads : machine_cores()),
        budget(options.memory_limit > 0 ? options.memory_limit : machine_memory() / 10 * 8),
        store(&budget),
        database({options.database, threads, options.memory_limit, &budget, &cancellation}) {
    options.tuning.packed_only = options.lanes == "packed";
    budget.add_reclaimer([this](size_t bytes) { return store.evict(bytes); });
    if (device.only) accelerator();
  }

  /// The GPU, made at the first call. Null with `auto` where there is none.
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
                          : exec::usual_device_costs(properties.value_or(device::Properties()));
    return view;
  }
  exec::Rates host_rates() const {
    return options.placement ? with_threads_of(options.placement->host, options.placement->threads, threads)
                             : exec::usual_host_rates(target, options.tuning, threads);
  }
  /// Asks the driver which GPU there is, without making use of it.
  void look_for_gpu() {
    if (properties || no_gpu) return;
    try {
      const device::Driver& driver = device::Driver::system();
      device::Compiler::system();  // without it no GPU is of use
      properties = driver.properties(device.ordinal);
    } catch (const device::DeviceError& error) {
      no_gpu = error.what();
    }
  }
  exec::Options run_options() {
    exec::Options run;
    run.target = target;
    run.threads = threads;
    run.vector_rows = options.vector_rows;
    run.tuning = options.tuning;
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

  StatementResult answer_by_duckdb(const std::string& statement) {
    StatementResult result;
    result.engine = "duckdb";
    Stopwatch watch;
    std::optional<Table> table = database.run(statement, &budget);
    result.run_seconds = watch.lap();
    result.has_rows = table.has_value();
    if (table) result.table = std::move(*table);
    return result;
  }

  StatementResult answer(const std::string& query, bool keep_columns) {
    StatementResult result;
    result.engine = "lanewise";
    result.has_rows = true;
    Stopwatch watch;
    const sql::Query planned = database.plan(query);
    result.plan_seconds = watch.lap();
    exec::Options run = run_options();
    run.keep_columns = keep_columns;
    exec::Result done = exec::execute(planned.root, run);
    result.run_seconds = watch.lap();
    result.table = std::move(done.table);
    rename(result.table.schema, planned.names);
    result.hot = done.from_hot_columns;
    result.profile = std::move(done.profile);
    return result;
  }

  /// The GPU that arrays of others lie on.
  device::Device& open_device(int64_t ordinal) const {
    if (device.offered && ordinal != device.ordinal) {
      throw UserError(
          fmt::format("the Arrow arrays lie on GPU {}, the session uses cuda:{}", ordinal, device.ordinal));
    }
    if (ordinal < 0 || ordinal > std::numeric_limits<int>::max())
      throw UserError(fmt::format("the Arrow arrays lie on GPU {}, which cannot be", ordinal));
    return device::Driver::system().device(static_cast<int>(ordinal));
  }
  arrow::OpenDevice opener() {
    return [this](int64_t ordinal) -> device::Device& { return open_device(ordinal); };
  }
  /// False: there was none.
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
  MemoryBudget budget;  // outlives what is charged to it
  exec::ColumnStore store;
  sql::Database database;
  std::unique_ptr<exec::Accelerator> gpu;
  std::optional<device::Properties> properties;  // of the GPU, where it was looked for
  std::optional<std::string> no_gpu;             // why there is none
  Cancellation cancellation;
  std::function<void(const std::string& what, double share)> progress;
};

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>(options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;

std::vector<std::string> Session::split(const std::string& sql) { return state_->database.split(sql); }

StatementResult Session::run(const std::string& statement, bool keep_columns) {
  state_->cancellation.reset();
  if (!state_->database.is_query(statement)) return state_->answer_by_duckdb(statement);
  try {
    return state_->answer(statement, keep_columns);
  } catch (const sql::UnsupportedError& error) {
    if (!state_->options.fallback_duckdb) throw;
    StatementResult result = state_->answer_by_duckdb(statement);
    result.fallback_reason = error.what();
    return result;
  }
}

std::string Session::explain(const std::string& query, bool kernels) {
  if (!state_->database.is_query(query)) return "Statement for DuckDB\n";
  const sql::Query planned = state_->database.plan(query);
  std::string text = fmt::format(
      "{}lanes {}, {} thread{}\n", plan::to_string(*planned.root, state_->target, state_->options.tuning),
      lanes::name(state_->target), state_->threads, state_->threads == 1 ? "" : "s");
  if (state_->device.offered) state_->look_for_gpu();
  if (kernels || state_->device.offered)
    text += exec::explain_device(planned.root, kernels, state_->run_options());
  return text;
}

void Session::write_parquet(const Table& table, const std::string& path) {
  state_->database.write_parquet(table, path);
}

void Session::add_table(const std::string& name, ArrowArrayStream* stream) {
  state_->add(name, table_source(name, arrow::import_stream(stream, &state_->budget)));
}

void Session::add_table(const std::string& name, ArrowDeviceArrayStream* stream) {
  state_->add(name, arrow::import_device_stream(name, stream, state_->opener(), &state_->budget));
}

void Session::add_table(const std::string& name, ArrowSchema* schema, std::span<ArrowDeviceArray> arrays) {
  state_->add(name, arrow::import_device_arrays(name, schema, arrays, state_->opener(), &state_->budget));
}

void Session::drop_table(const std::string& name) {
  if (!state_->drop(name)) throw UserError(fmt::format("there is no table '{}' that was added", name));
}

void Session::to_device(const Table& table, ArrowDeviceArrayStream* out) {
  *out = {};
  if (!state_->device.offered)
    throw UserError("the session has no GPU: its option 'device' is to be cuda or auto");
  exec::Accelerator* const gpu = state_->accelerator();
  if (gpu == nullptr) throw UserError(*state_->no_gpu);
  const auto make_room = [gpu](size_t bytes) {
    const size_t freed = gpu->store.evict(bytes);
    gpu->pool.trim();
    return freed;
  };
  arrow::export_device_stream(table, gpu->device, out, make_room, &state_->budget);
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
