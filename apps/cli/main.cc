#include <fmt/format.h>
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "base/error.h"
#include "command.h"
#include "output/output_file.h"

namespace lanewise::cli {
namespace {

int fail(ExitCode code, const char* prefix, const char* message) {
  fmt::print(stderr, "{}{}\n", prefix, message);
  return code;
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "Lanewise runs SQL, text search and PRAM programs on SIMD lanes and cores, and keeps every lane busy "
      "where "
      "data is irregular."};
  app.name("lanewise");
  app.set_version_flag("--version", std::string("lanewise ") + LANEWISE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Command run;
  add_sql_command(app, run);
  add_grep_command(app, run);
  add_index_command(app, run);
  add_pram_command(app, run);
  add_graph_command(app, run);
  add_bench_command(app, run);
  add_tune_command(app, run);
  add_info_command(app, run);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return kOk;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "lanewise: {}\nTry 'lanewise --help'.\n", error.what());
    return kUserError;
  }
  return run();
}

}  // namespace
}  // namespace lanewise::cli

int main(int argc, char** argv) {
  using namespace lanewise;  // NOLINT: main has no other use of names
  // Memory that was freed serves the next batch: fresh pages from the system cost as much as reading them.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error of write(), not the end
  try {
    return cli::run_program(argc, argv);
  } catch (const cli::ClosedPipe&) {
    return cli::kOk;
  } catch (const CancelledError&) {
    return cli::fail(cli::kCancelled, "", "cancelled");
  } catch (const UserError& error) {
    return cli::fail(cli::kUserError, "error: ", error.what());
  } catch (const std::bad_alloc&) {
    return cli::fail(cli::kUserError, "error: ", "the system has no memory left; try --memory-limit");
  } catch (const std::exception& error) {
    return cli::fail(cli::kBug, "This is a bug in lanewise, please report it: ", error.what());
  }
}
