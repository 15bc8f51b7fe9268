#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "api/session.h"
#include "base/error.h"
#include "base/size.h"
#include "command.h"
#include "machine.h"
#include "output/format.h"
#include "output/result_writer.h"
#include "profile_report.h"
#include "progress.h"
#include "terminal.h"

namespace lanewise::cli {

namespace {

const char* const kDescription = R"(Runs SQL over Parquet, CSV, JSON and DuckDB tables.

The SQL comes from -c, from -f, or from standard input. Files are named in the FROM clause:

  lanewise sql -c "SELECT count(*) FROM 'logs/*.parquet' WHERE url LIKE '%/search?%'"
  lanewise sql -c "SELECT path FROM 'paths.csv' WHERE regexp_matches(path, '\.so\.[0-9]+$') LIMIT 5"
  lanewise sql --db shop.duckdb -f report.sql --format markdown
  lanewise sql -c "FROM 'big.csv'" -o big.parquet
  lanewise sql -c "SELECT 1" --explain
)";

struct SqlOptions {
  std::string command;
  std::string file;
  std::string format;
  std::string output;
  std::string fallback;
  std::string memory_limit;
  SessionOptions session;
  std::string explain;  // "plan" or "kernels"; empty: run
  std::string device_memory;
  bool profile = false;
  bool timing = false;
};

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

std::string statements_text(const SqlOptions& options) {
  if (!options.command.empty()) return options.command;
  if (options.file.empty()) return read_all(std::cin);
  std::ifstream in(options.file, std::ios::binary);
  std::string text = in ? read_all(in) : "";
  if (!in) throw UserError(fmt::format("cannot read '{}': {}", options.file, std::strerror(errno)));
  return text;
}

Session* running = nullptr;  // for the signal handler

void on_interrupt(int) {
  if (running != nullptr) running->cancel();
  std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the program at once
}

/// Runs statements one after the other and writes their results.
class SqlRun {
 public:
  explicit SqlRun(SqlOptions options)
      : options_(std::move(options)), format_(format_of(options_.format, options_.output)) {
    if (!options_.memory_limit.empty()) options_.session.memory_limit = parse_size(options_.memory_limit);
    if (!options_.device_memory.empty()) options_.session.device_memory = parse_size(options_.device_memory);
    options_.session.fallback_duckdb = options_.fallback == "duckdb";
    options_.session.profile_lanes = options_.profile;
    const MachineProfile machine = machine_profile();
    options_.session.tuning = machine.tuning;
    options_.session.placement = machine.placement;
    if (options_.session.vector_rows == 0) options_.session.vector_rows = machine.vector_rows;
    session_.emplace(options_.session);
    session_->set_progress([this](const std::string& what, double share) { progress_.report(what, share); });
    writer_ = make_writer(format_, false);
    running = &*session_;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
  }
  SqlRun(const SqlRun&) = delete;
  SqlRun& operator=(const SqlRun&) = delete;
  ~SqlRun() {
    running = nullptr;
    progress_.finish();
  }

  void run_all(const std::string& text, bool more_follows = false) {
    const std::vector<std::string> statements = session_->split(text);
    for (size_t i = 0; i < statements.size(); ++i)
      run(statements[i], more_follows || i + 1 < statements.size());
    write_file();
    out_.close();
  }

  /// Reads statements from a terminal; an error ends the statement, not the session.
  void run_interactive() {
    fmt::print(stderr, "Statements end with ';'. Ctrl-D leaves.\n");
    std::string pending;
    std::string line;
    for (;;) {
      fmt::print(stderr, "{}", pending.empty() ? "lanewise> " : "     ...> ");
      if (!std::getline(std::cin, line)) break;
      pending += line + "\n";
      const auto last = pending.find_last_not_of(" \t\n");
      if (last == std::string::npos) pending.clear();
      if (last == std::string::npos || pending[last] != ';') continue;
      try {
        std::signal(SIGINT, on_interrupt);
        run_all(pending, true);
      } catch (const CancelledError&) {
        fmt::print(stderr, "cancelled\n");
      } catch (const UserError& error) {
        fmt::print(stderr, "error: {}\n", error.what());
      }
      progress_.finish();
      pending.clear();
    }
    fmt::print(stderr, "\n");
  }

 private:
  void run(const std::string& statement, bool more_follows) {
    if (!options_.explain.empty()) {
      out_.write(session_->explain(statement, options_.explain == "kernels"));
      return;
    }
    progress_.start();
    StatementResult result = session_->run(statement, more_follows);
    progress_.finish();
    if (result.has_rows && !result.fallback_reason.empty()) {
      fmt::print(stderr, "answered by DuckDB: {}\n", result.fallback_reason);
    }
    if (options_.timing) fmt::print(stderr, "{}\n", timing_report(result));
    if (options_.profile && result.has_rows)
      fmt::print(stderr, "{}", profile_report(result, terminal_width()));
    if (!result.has_rows) return;
    if (options_.output.empty()) {
      writer_->write(result.table, out_);
      out_.close();  // What is answered is told, also when the next statement fails.
    } else {
      last_ = std::move(result.table);
    }
  }

  void write_file() {
    if (!last_) return;
    if (format_ == "parquet") {
      session_->write_parquet(*last_, options_.output);
    } else {
      OutputFile file(options_.output);
      make_writer(format_, true)->write(*last_, file);
      file.close();
    }
    last_.reset();
  }

  SqlOptions options_;
  std::string format_;
  std::optional<Session> session_;
  Progress progress_;
  std::unique_ptr<ResultWriter> writer_;
  OutputFile out_;
  std::optional<Table> last_;  // with -o: what will be written at the end
};

}  // namespace

void add_sql_command(CLI::App& app, Command& run) {
  auto options = std::make_shared<SqlOptions>();
  CLI::App* sql = app.add_subcommand("sql", kDescription);
  auto* command = sql->add_option("-c,--command", options->command, "SQL to run: one or more statements")
                      ->type_name("SQL");
  sql->add_option("-f,--file", options->file, "A file with SQL")->type_name("FILE")->excludes(command);
  sql->add_option("-o,--output", options->output, "Write the last result to this file")->type_name("FILE");
  sql->add_option("--format", options->format, "Of the output; default: by the ending of -o, else table")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kFormats), std::end(kFormats))))
      ->option_text(fmt::format("{}", fmt::join(kFormats, "|")));
  sql->add_option("--db", options->session.database, "A DuckDB database file; default: in memory")
      ->type_name("FILE");
  sql->add_option("--lanes", options->session.lanes,
                  "Lanes to run on: simd (the widest here), avx512, avx2, neon, interleaved, auto, scalar,\n"
                  "branching, emulated; packed: simd, with automata in registers wherever they fit")
      ->type_name("NAME");
  sql->add_option("--threads", options->session.threads, "Threads; default: one per core")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  sql->add_option("--memory-limit", options->memory_limit, "For example 4GB; default: 80 % of the machine's")
      ->type_name("SIZE");
  sql->add_option("--vector-rows", options->session.vector_rows, "Rows that an operator handles at a time")
      ->envname("LANEWISE_VECTOR_SIZE")
      ->group("");  // for tests
  sql->add_option("--fallback", options->fallback,
                  "Let DuckDB answer what Lanewise cannot; the output says so")
      ->check(CLI::IsMember({"duckdb"}))
      ->option_text("duckdb");
  sql->add_option("--device", options->session.device,
                  "cpu (the default), cuda or cuda:N (what it does not offer is an error), or auto (the GPU\n"
                  "gets what it offers and is said to be faster at: --explain shows it)")
      ->type_name("NAME");
  sql->add_option("--device-memory", options->device_memory, "Of the GPU; default: nearly all of it")
      ->type_name("SIZE");
  sql->add_option(
         "--device-strategy", options->session.device_strategy,
         "How the GPU asks patterns and makes groups, whatever is fastest: naive, refill=N, threads=N,\n"
         "automata, lists, groups=table, groups=parts, groups=slots, with commas between; occupancy: "
         "--profile\n"
         "tells how many lanes of automata were busy")
      ->type_name("NAMES");
  sql->add_option("--device-rows", options->session.device_rows, "Rows that the GPU handles at a time")
      ->envname("LANEWISE_DEVICE_ROWS")
      ->group("");  // for tests
  sql->add_option(
         "--explain", options->explain,
         "Show the plan, its matchers and estimates instead of running; 'kernels': also the sources of\n"
         "GPU kernels")
      ->expected(0, 1)
      ->default_str("plan")
      ->check(CLI::IsMember({"plan", "kernels"}))
      ->option_text("[kernels]");
  sql->add_flag("--profile", options->profile, "Show what each operator did, on standard error");
  sql->add_flag("--timing", options->timing, "Show the time of each statement, on standard error");
  sql->callback([options, &run] {
    run = [options] {
      SqlRun all(*options);
      if (options->command.empty() && options->file.empty() && stdin_is_terminal()) {
        all.run_interactive();
      } else {
        all.run_all(statements_text(*options));
      }
      return kOk;
    };
  });
}

}  // namespace lanewise::cli
