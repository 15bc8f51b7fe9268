#include <memory>
#include <sstream>

#include "command.h"
#include "configuration.h"
#include "guard.h"
#include "help/help.h"
#include "help/suggest.h"
#include "output/print.h"
#include "terminal.h"

namespace lanewise::cli {
namespace {

ExitCode wrong_arguments(const ArgumentError& error) {
  print_error("lanewise: {}\nTry '{} --help'.\n", error.message, error.command);
  return kUserError;
}

constexpr const char* kFooter =
    R"('lanewise help COMMAND' shows the options of a command. Further topics: files, configuration,
environment, exit-codes. On a terminal, 'lanewise' alone opens the SQL shell.)";

int run_program(int argc, char** argv) {
  CLI::App app{
      "Lanewise runs SQL, text search, ordered indexes and PRAM programs on SIMD lanes, cores and GPUs."};
  app.name("lanewise");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("--version", std::string("lanewise ") + LANEWISE_VERSION, "Show the version");
  app.require_subcommand(1);
  Command run;
  add_sql_command(app, run);
  add_grep_command(app, run);
  add_index_command(app, run);
  add_pram_command(app, run);
  add_lab_command(app, run);
  add_graph_command(app, run);
  add_bench_command(app, run);
  add_study_command(app, run);
  add_tune_command(app, run);
  add_info_command(app, run);
  add_help_command(app, run);
  app.footer(kFooter);  // of the program alone: commands copy it when they are added
  const bool shell = argc == 1 && stdin_is_terminal() && stdout_is_terminal();
  if (argc == 1 && !shell) {
    print("{}", app.help());
    return kOk;
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  if (shell) words = {"sql"};
  if (const auto unknown = unknown_command(app, words)) return wrong_arguments(*unknown);
  apply_configuration(app, words);
  try {
    if (shell)
      app.parse("sql");
    else
      app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help, none;
    if (error.get_exit_code() != 0) return wrong_arguments(explain(app, error));
    app.exit(error, help, none);  // --help, --version
    print("{}", help.str());
    return kOk;
  }
  return run();
}

}  // namespace
}  // namespace lanewise::cli

int main(int argc, char** argv) { return lanewise::cli::run_guarded(argc, argv, lanewise::cli::run_program); }
