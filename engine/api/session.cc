#include "api/session.h"

#include <fmt/format.h>

#include <utility>

#include "api/explained.h"
#include "api/session_state.h"
#include "base/error.h"
#include "data/arrow/arrow_stream.h"
#include "data/table_source.h"
#include "gpu/driver.h"
#include "ops/gpu/device/accelerator.h"
#include "sql/database.h"
#include "sql/duckdb/errors.h"

namespace lanewise {

namespace {

/// Releases a stream at the end of its scope.
struct ReleaseStream {
  void operator()(ArrowArrayStream* stream) const {
    if (stream->release != nullptr) stream->release(stream);
  }
};
using ReleasedStream = std::unique_ptr<ArrowArrayStream, ReleaseStream>;

}  // namespace

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

StatementResult Session::run(const std::string& statement, bool keep_columns, const Table& parameters,
                             bool keep_on_device) {
  state_->check_idle();
  if (!std::exchange(state_->begun, false)) state_->cancellation.reset();
  sql::Statement parsed = state_->database.parse(statement);
  parsed.parameters = parameters;
  const auto run = [&] {
    switch (parsed.kind) {
      case sql::Statement::Kind::kQuery:
        return state_
            ->answer(parsed, keep_columns, keep_on_device && parsed.explain == sql::Statement::Explain::kNo)
            .result;
      case sql::Statement::Kind::kWrite:
      case sql::Statement::Kind::kChange:
        return state_->answer_and_write(parsed, keep_columns);
      case sql::Statement::Kind::kOther:
        break;
    }
    return state_->answer_by_duckdb(parsed);
  };
  try {
    if (parsed.explain == sql::Statement::Explain::kPlan) {
      State::Stopwatch watch;
      StatementResult result;
      result.engine = "lanewise";
      result.has_rows = true;
      if (parsed.format == sql::Statement::Format::kText) {
        result.table = explained(state_->explain(parsed, false));
      } else {
        const sql::Query planned = state_->database.plan(parsed);
        result.table = explained(*planned.root, exec::explained_pipelines(planned.root), parsed);
      }
      result.plan_seconds = watch.lap();
      return result;
    }
    StatementResult result = run();
    if (parsed.explain == sql::Statement::Explain::kProfile) {
      result.table = explained(result.profile, parsed.format);
      result.has_rows = true;
    }
    return result;
  } catch (const sql::UnsupportedError& error) {
    const bool changes = parsed.kind == sql::Statement::Kind::kChange;
    if (!changes && !state_->options.fallback_duckdb && !state_->database.falls_back()) throw;
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
Table Session::printable(const Table& table) { return state_->database.printable(table); }

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
  ArrowArrayStream rows{};
  arrow::export_stream(table, &rows);
  to_device(&rows, out);
}

void Session::to_device(ArrowArrayStream* rows, ArrowDeviceArrayStream* out) {
  *out = {};
  ArrowArrayStream taken = std::exchange(*rows, {});
  const ReleasedStream released(&taken);
  if (!state_->device.offered())
    throw UserError("the session has no GPU: set its option 'device' to cuda or auto");
  const ops::Place place = state_->device.place;
  ops::Accelerator* const gpu = state_->accelerator(place);
  if (gpu == nullptr) throw UserError(state_->gpu(place).missing());
  const auto make_room = [gpu](size_t bytes) {
    const size_t freed = gpu->store.evict(bytes);
    gpu->pool.trim();
    return freed;
  };
  arrow::export_device_stream(&taken, gpu->device, out, make_room, &state_->budget);
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
