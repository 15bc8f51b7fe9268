#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/new_file.h"
#include "command.h"
#include "input/read_file.h"
#include "process/interrupt.h"
#include "process/print.h"
#include "process/terminal.h"
#include "shell/shell.h"
#include "statements/run.h"

namespace lanewise::cli {

namespace {

const char* const kSqlDescription = R"(Runs SQL over Parquet, Arrow, CSV, JSON and DuckDB tables.

The SQL comes from -c, from -f, or from standard input. Name files in the FROM clause, in quotes:

  lanewise sql -c "SELECT count(*) FROM 'logs/*.parquet' WHERE url LIKE '%/search?%'"
  lanewise sql -c "SELECT path FROM 'paths.csv' WHERE regexp_matches(path, '\.so\.[0-9]+$') LIMIT 5"
  lanewise sql --db shop.duckdb -f report.sql --format markdown
  lanewise sql -c "FROM 'big.csv'" -o big.parquet
  zcat log.csv.gz | lanewise sql -c "SELECT count(*) FROM '-'"
  lanewise sql -c "SELECT 1" --explain
  lanewise sql                                               the interactive shell
)";

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

std::string statements_text(const SqlOptions& options) {
  if (!options.command.empty()) return options.command;
  if (options.file.empty()) return read_all(std::cin);
  return read_file(options.file);
}

/// Ends the program here: closing DuckDB frees its whole catalogue, a tenth of the time of a short query.
void end_unclosed([[maybe_unused]] ExitCode code) {
#ifndef __SANITIZE_ADDRESS__  // which reports memory that is not freed
  flush_printed();
  exit_without_new_files(code);
#endif
}

void add_input_and_output_options(CLI::App& sql, SqlOptions& options) {
  auto* command = sql.add_option("-c,--command", options.command, "Run this SQL: one or more statements")
                      ->type_name("SQL");
  sql.add_option("-f,--file", options.file, "Run the SQL in this file")->type_name("FILE")->excludes(command);
  sql.add_option("-o,--output", options.output, "Write the last result to this file")->type_name("FILE");
  sql.add_option("--format", options.format, "Output format (default: from the extension of -o, else table)")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kFormats), std::end(kFormats))))
      ->option_text(fmt::format("{}", fmt::join(kFormats, "|")));
  sql.add_option("--max-rows", options.style.max_rows,
                 "Show at most N rows of a table; 0 shows all (default: 40)")
      ->check(CLI::Range(int64_t{0}, kMostRows))
      ->option_text("N");
  sql.add_option("--null-text", options.style.null_text,
                 "Text that stands for NULL (default: NULL in tables and Markdown, nothing in CSV)")
      ->option_text("STRING");
  sql.add_option("--on-error", options.on_error, "What to do after a statement that fails (default: stop)")
      ->check(CLI::IsMember({"stop", "continue"}))
      ->option_text("stop|continue");
}

void add_session_options(CLI::App& sql, SqlOptions& options) {
  sql.add_option("--db", options.session.database, "Open this DuckDB database file (default: in memory)")
      ->type_name("FILE");
  sql.add_flag(
      "--read-only", options.session.read_only,
      "Reject statements that change the database. Without it, a database is opened for writing only if a "
      "statement writes");
  sql.add_option(
         "--lanes", options.session.lanes,
         "Lanes to use: simd (the widest of this machine), avx512, avx2, neon, interleaved, auto, scalar,\n"
         "branching, emulated; packed: simd, with automata in registers wherever they fit")
      ->type_name("NAME");
  sql.add_option("--join-pairs", options.session.join_pairs,
                 "How cores write the row pairs of joins with repeated keys: naive, refill, balanced,\n"
                 "whole, mixed (the default)")
      ->envname("LANEWISE_JOIN_PAIRS")
      ->type_name("NAME");
  sql.add_option("--threads", options.session.threads, "Number of threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  sql.add_option("--memory-limit", options.memory_limit,
                 "Memory limit, for example 4GB (default: 80 % of the machine's memory)")
      ->type_name("SIZE");
  sql.add_option(
         "--temp-directory", options.session.temp_directory,
         "Folder for what exceeds the memory limit (default: $TMPDIR, else /var/tmp), in files that are\n"
         "gone when the program ends; none: too little memory is an error")
      ->type_name("FOLDER");
  sql.add_option("--vector-rows", options.session.vector_rows, "Rows that an operator handles at a time")
      ->envname("LANEWISE_VECTOR_SIZE")
      ->group("");  // for tests
  sql.add_option("--engine-memory", options.session.engine_memory, "Bytes for the engine, without DuckDB")
      ->envname("LANEWISE_ENGINE_MEMORY")
      ->group("");  // for tests
  sql.add_option("--join-parts", options.session.join_parts, "Number of join partitions")
      ->envname("LANEWISE_JOIN_PARTS")
      ->check(CLI::Range(1, 16))
      ->group("");  // for tests
  sql.add_option("--join-lookup", options.session.join_lookup,
                 "How cores look up keys of joins that allow it: hash, bytes, direct, bitmap")
      ->envname("LANEWISE_JOIN_LOOKUP")
      ->group("");  // for tests
  sql.add_flag("--semi-joins-first", options.session.semi_joins_first,
               "Drop rows without a match before all else")
      ->envname("LANEWISE_SEMI_JOINS_FIRST")
      ->group("");  // for tests
}

void add_device_options(CLI::App& sql, SqlOptions& options) {
  sql.add_option("--fallback", options.fallback,
                 "Let DuckDB answer queries that Lanewise does not support; the output says so")
      ->check(CLI::IsMember({"duckdb"}))
      ->option_text("duckdb");
  sql.add_option(
         "--device", options.session.device,
         "Device: cpu (the default); cuda or cuda:N, where an unsupported query is an error; auto, which\n"
         "uses the GPU for what it supports and is estimated to run faster. --explain shows the choice")
      ->type_name("NAME");
  sql.add_option("--device-memory", options.device_memory, "GPU memory limit (default: nearly all of it)")
      ->type_name("SIZE");
  sql.add_option("--device-strategy", options.session.device_strategy,
                 "Force how the GPU works. Patterns: naive, refill=N, threads=N, automata, lists.\n"
                 "Groups: groups=table|parts|slots. Joins: join=hash|direct|ranks|bitmap, split,\n"
                 "pairs=naive|refill|balanced|mixed|queued|written. Separate several by commas.\n"
                 "With occupancy, --profile shows how many lanes of automata and pairs were busy")
      ->type_name("NAMES");
  sql.add_option("--device-rows", options.session.device_rows, "Rows that the GPU handles at a time")
      ->envname("LANEWISE_DEVICE_ROWS")
      ->group("");  // for tests
}

void add_report_options(CLI::App& sql, SqlOptions& options) {
  sql.add_option(
         "--explain", options.explain,
         "Show the plan with its matchers and estimates, without running it; 'kernels': also the source of\n"
         "GPU kernels")
      ->expected(0, 1)
      ->default_str("plan")
      ->check(CLI::IsMember({"plan", "kernels"}))
      ->option_text("[kernels]");
  sql.add_flag("--profile", options.profile,
               "Show rows, time and lane occupancy of each operator, on standard error");
  sql.add_flag("--timing", options.timing, "Show the time of each statement, on standard error");
}

ExitCode run_sql(const SqlOptions& options) {
  if (options.command.empty() && options.file.empty() && stdin_is_terminal()) return run_shell(options);
  SqlOptions given = options;
  const std::string text = statements_text(given);
  if (given.command.empty() && (given.file.empty() || given.file == "-") && StdinTable::named_in(text))
    throw UserError("standard input holds the SQL, so FROM '-' cannot read it; use -c or -f");
  std::error_code missing;
  if (!Session::may_change_database(text) && std::filesystem::exists(given.session.database, missing))
    given.session.read_only = true;
  SqlRun all(given);
  const OnInterrupt stop([&all] { all.cancel(); });
  const Interrupt interrupt;
  const ExitCode code = [&] {
    try {
      return all.run_all(text) ? kOk : kUserError;
    } catch (const UserError& error) {  // of a view or macro that takes a number of a sequence
      const std::string what = error.what();
      if (options.session.read_only || !what.ends_with("is open for reading only")) throw;
      throw UserError(what + ", as no statement writes it; begin with CHECKPOINT to open it for writing");
    }
  }();
  if (all.only_read()) end_unclosed(code);
  return code;
}

}  // namespace

void add_sql_command(CLI::App& app, Command& run) {
  auto options = std::make_shared<SqlOptions>();
  CLI::App* sql = app.add_subcommand("sql", kSqlDescription);
  add_input_and_output_options(*sql, *options);
  add_session_options(*sql, *options);
  add_device_options(*sql, *options);
  add_report_options(*sql, *options);
  sql->callback([options, &run] { run = [options] { return run_sql(*options); }; });
}

}  // namespace lanewise::cli
