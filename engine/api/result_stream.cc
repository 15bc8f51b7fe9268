#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "api/session_state.h"
#include "sql/duckdb/errors.h"

namespace lanewise {

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
        session.end(answer.query);
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
  ops::RowStream rows{std::min(kStreamedBytes, session.budget.limit() / 8)};
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
  auto& [result, query, changes_rows] = stream.answer;
  Stopwatch watch;
  std::optional<Table> written;
  const auto write = [&](const Batches& rows) { written = database.write(statement, rows, query, &budget); };
  if (database.writes_while_running(statement, query)) {
    stream.start(keep_columns);
    write(stream.batches());
    stream.stop();  // CREATE TABLE IF NOT EXISTS may not have read all rows
  } else {
    changes_rows = statement.kind == sql::Statement::Kind::kChange;
    execute(stream.answer, keep_columns, nullptr);
    const Table rows = std::move(result.table);
    end(query, changes_rows);
    write(batches_of(rows));
  }
  result.write_seconds = std::max(watch.lap() - result.run_seconds, 0.0);
  result.has_rows = written.has_value();
  result.table = written ? std::move(*written) : Table();
  for (ops::OperatorProfile& op : result.profile) ++op.depth;
  result.profile.insert(result.profile.begin(), by_duckdb(statement.name, *result.write_seconds));
  return std::move(result);
}

}  // namespace lanewise
