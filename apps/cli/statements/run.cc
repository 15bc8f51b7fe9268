#include "statements/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/size.h"
#include "input/data_file.h"
#include "process/fault.h"
#include "process/print.h"
#include "process/terminal.h"
#include "sql/duckdb/errors.h"
#include "statements/machine.h"
#include "statements/profile_report.h"

namespace lanewise::cli {

namespace {

/// Calls f(), and adds advice to the error of a query that is not supported.
template <class F>
auto or_advise(F f) {
  try {
    return f();
  } catch (const sql::UnsupportedError& error) {
    throw UserError(fmt::format("{}; --fallback duckdb lets DuckDB answer", error.what()));
  }
}

}  // namespace

SqlRun::SqlRun(SqlOptions options)
    : options_(std::move(options)), format_(format_of(options_.format, options_.output)) {
  if (!options_.memory_limit.empty()) options_.session.memory_limit = parse_size(options_.memory_limit);
  if (!options_.device_memory.empty()) options_.session.device_memory = parse_size(options_.device_memory);
  options_.session.fallback_duckdb = options_.fallback == "duckdb";
  options_.session.profile_lanes = options_.profile;
  const MachineProfile machine = machine_profile();
  options_.session.tuning = machine.tuning;
  options_.session.placement = machine.placement;
  if (options_.session.vector_rows == 0) options_.session.vector_rows = machine.vector_rows;
  for (const std::string& input : {options_.file, options_.session.database}) {
    if (!input.empty()) inputs_.push_back(input);
  }
  check_output(options_.output, inputs_);
  if (!options_.session.database.empty()) require_database(options_.session.database);
  session_.emplace(options_.session);
  session_->set_progress([this](const std::string& what, double share) {
    if (shows_progress_) progress_.report(what, share);
  });
  writer_ = make_writer(format_, false, options_.style);
}

SqlRun::~SqlRun() { progress_.finish(); }

void SqlRun::set_format(const std::string& format) {
  options_.format = format;
  format_ = format_of(format, options_.output);
  writer_ = make_writer(format_, false, options_.style);
}

void SqlRun::set_style(const TextStyle& style) {
  options_.style = style;
  writer_ = make_writer(format_, false, style);
}

bool SqlRun::run_all(const std::string& text, bool more_follows) {
  out_.page(options_.page);
  if (!stdin_table_ && StdinTable::named_in(text)) stdin_table_.emplace(*session_);
  const std::vector<std::string> statements = session_->split(text);
  bool all = true;
  for (size_t i = 0; i < statements.size(); ++i)
    all &= run_or_report(statements[i], i + 1, statements.size(), more_follows || i + 1 < statements.size());
  if (const std::optional<Table> last = std::exchange(last_, std::nullopt)) write_file(batches_of(*last));
  out_.close();
  return all;
}

/// The error of one of several statements begins with its number.
bool SqlRun::run_or_report(const std::string& statement, size_t number, size_t count, bool more_follows) {
  try {
    run(statement, number == count, more_follows);
    return true;
  } catch (const CancelledError&) {
    end_progress();
    throw;
  } catch (const UserError& error) {
    end_progress();
    const std::string message =
        count == 1 ? error.what() : fmt::format("statement {}: {}", number, error.what());
    if (options_.on_error != "continue") throw UserError(message);
    print_error("error: {}\n", message);
    return false;
  }
}

void SqlRun::end_progress() {
  shows_progress_ = false;
  progress_.finish();
}

void SqlRun::run(const std::string& statement, bool is_last, bool more_follows) {
  if (!options_.explain.empty()) {
    return show([&] { out_.write(session_->explain(statement, options_.explain == "kernels")); });
  }
  set_running(statement);
  progress_.start();
  shows_progress_ = true;
  const bool only_read = std::exchange(only_read_, false);  // unless it succeeds
  // A table needs the widths of all rows. A file gets the last result, which need not be the last
  // statement's.
  const bool streams = format_ != "table" && (options_.output.empty() || is_last);
  streams ? run_as_stream(statement, more_follows) : run_at_once(statement, more_follows);
  only_read_ = only_read && only_read_;
}

void SqlRun::run_at_once(const std::string& statement, bool more_follows) {
  StatementResult result = or_advise([&] { return session_->run(statement, more_follows); });
  report(result);
  if (!result.has_rows) return;
  result.table = converted(std::move(result.table));
  if (options_.output.empty()) {
    show([&] { write(*writer_, batches_of(result.table), out_); });
  } else {
    last_ = std::move(result.table);
  }
}

/// Writes the rows while the statement runs.
void SqlRun::run_as_stream(const std::string& statement, bool more_follows) {
  ResultStream stream = or_advise([&] { return session_->stream(statement, more_follows); });
  if (stream.result().has_rows) {
    const Schema schema = stream.schema();
    std::deque<Batch> ready;  // conversion may divide a batch
    const auto read = [&] {
      while (ready.empty()) {
        std::optional<Batch> batch = stream.next();
        if (stdout_is_terminal()) end_progress();
        if (!batch) return;
        std::ranges::move(converted({schema, {std::move(*batch)}}).batches, std::back_inserter(ready));
      }
    };
    const auto next = [&]() -> std::optional<Batch> {
      read();
      if (ready.empty()) return std::nullopt;
      Batch batch = std::move(ready.front());
      ready.pop_front();
      return batch;
    };
    const Batches rows{converted({schema, {}}).schema, -1, next};
    read();  // so that nothing is printed of a statement that fails at once
    if (options_.output.empty()) {
      show([&] { write(*writer_, rows, out_); });
    } else {
      const std::vector<std::string>& files = stream.result().files;
      inputs_.insert(inputs_.end(), files.begin(), files.end());
      write_file(rows);
      last_.reset();
    }
  }
  stream.stop();  // a pager may have been left early
  report(stream.result());
}

/// Prints times and profile of a statement that has ended, as the options say.
void SqlRun::report(const StatementResult& result) {
  end_progress();
  only_read_ = result.engine == "lanewise" && !result.write_seconds;
  if (!result.fallback_reason.empty()) {
    print_error("answered by DuckDB: {}\n", result.fallback_reason);
  }
  if (options_.timing) print_error("{}\n", timing_report(result));
  if (options_.profile) print_error("{}", profile_report(result, terminal_width()));
  inputs_.insert(inputs_.end(), result.files.begin(), result.files.end());
}

/// A result is shown even if the next statement fails, and the user may leave its pager early.
void SqlRun::show(const std::function<void()>& print) {
  try {
    print();
    out_.close();
  } catch (const ClosedPipe&) {
    if (!options_.page) throw;
  }
}

/// Converts what the format does not have: time zones, VARIANT, and for JSON lists, structs and the like.
Table SqlRun::converted(Table table) {
  if (format_ == "parquet" || format_.starts_with("arrow")) return table;
  const auto is_nested = [](const Field& field) { return !field.text_of.empty() || field.type.is_nested(); };
  if ((format_ == "json" || format_ == "ndjson") && std::ranges::any_of(table.schema, is_nested))
    table = session_->as_json(table);
  return session_->printable(table);
}

void SqlRun::write(ResultWriter& writer, const Batches& rows, OutputFile& out) {
  if (!format_.starts_with("arrow")) return writer.write(rows, out);
  std::exception_ptr failed;  // of which Arrow's stream only has the text
  ArrowArrayStream stream{};
  arrow::export_calls([&](ArrowSchema* to) { session_->to_arrow(rows.schema, to); },
                      [&](ArrowArray* to) {
                        try {
                          if (auto batch = rows.next())
                            session_->to_arrow(rows.schema, std::move(*batch), to);
                        } catch (...) {
                          failed = std::current_exception();
                          throw;
                        }
                      },
                      &stream);
  try {
    write_arrow(&stream, format_ == "arrow" ? ArrowFormat::kFile : ArrowFormat::kStream,
                [&out](std::string_view bytes) { out.write(bytes); });
  } catch (const UserError&) {
    if (failed) std::rethrow_exception(failed);
    throw;
  }
}

void SqlRun::write_file(const Batches& rows) {
  check_output(options_.output, inputs_);
  if (format_ == "parquet") return session_->write_parquet(rows, options_.output);
  OutputFile file(options_.output);
  write(*make_writer(format_, true, options_.style), rows, file);
  file.close();
}

}  // namespace lanewise::cli
