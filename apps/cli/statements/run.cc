#include "statements/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/size.h"
#include "data_file.h"
#include "fault.h"
#include "machine.h"
#include "output/print.h"
#include "profile_report.h"
#include "sql/errors.h"
#include "terminal.h"

namespace lanewise::cli {

namespace {

StatementResult run_or_advise(Session& session, const std::string& statement, bool more_follows) {
  try {
    return session.run(statement, more_follows);
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
  write_file();
  out_.close();
  return all;
}

/// The error of one of several statements begins with its number.
bool SqlRun::run_or_report(const std::string& statement, size_t number, size_t count, bool more_follows) {
  try {
    run(statement, more_follows);
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

void SqlRun::run(const std::string& statement, bool more_follows) {
  if (!options_.explain.empty()) {
    return show([&] { out_.write(session_->explain(statement, options_.explain == "kernels")); });
  }
  set_running(statement);
  progress_.start();
  shows_progress_ = true;
  const bool only_read = std::exchange(only_read_, false);  // unless it succeeds
  StatementResult result = run_or_advise(*session_, statement, more_follows);
  end_progress();
  only_read_ = only_read && result.engine == "lanewise" && !result.write_seconds;
  if (!result.fallback_reason.empty()) {
    print_error("answered by DuckDB: {}\n", result.fallback_reason);
  }
  if (options_.timing) print_error("{}\n", timing_report(result));
  if (options_.profile) print_error("{}", profile_report(result, terminal_width()));
  inputs_.insert(inputs_.end(), result.files.begin(), result.files.end());
  if (!result.has_rows) return;
  if (format_ != "parquet" && !format_.starts_with("arrow")) result.table = session_->in_zone(result.table);
  if (format_ == "json" || format_ == "ndjson") nest(result.table);
  if (options_.output.empty()) {
    show([&] { write(*writer_, result.table, out_); });
  } else {
    last_ = std::move(result.table);
  }
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

/// Converts lists, structs and the like from text to JSON.
void SqlRun::nest(Table& table) {
  if (std::ranges::any_of(
          table.schema, [](const Field& field) { return !field.text_of.empty() || field.type.is_nested(); }))
    table = session_->as_json(table);
}

void SqlRun::write(ResultWriter& writer, const Table& table, OutputFile& out) {
  if (!format_.starts_with("arrow")) return writer.write(table, out);
  ArrowArrayStream rows{};
  session_->to_arrow(table, &rows);  // with lists and structs as such
  write_arrow(&rows, format_ == "arrow" ? ArrowFormat::kFile : ArrowFormat::kStream,
              [&out](std::string_view bytes) { out.write(bytes); });
}

void SqlRun::write_file() {
  if (!last_) return;
  check_output(options_.output, inputs_);
  if (format_ == "parquet") {
    session_->write_parquet(*last_, options_.output);
  } else {
    OutputFile file(options_.output);
    write(*make_writer(format_, true, options_.style), *last_, file);
    file.close();
  }
  last_.reset();
}

}  // namespace lanewise::cli
