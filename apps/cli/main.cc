#include <algorithm>
#include <memory>
#include <sstream>
#include <string_view>

#include "command.h"
#include "configuration.h"
#include "help/help.h"
#include "help/suggest.h"
#include "process/guard.h"
#include "process/print.h"
#include "process/terminal.h"

namespace lanewise::cli {
namespace {

ExitCode wrong_arguments(const ArgumentError& error) {
  print_error("lanewise: {}\nTry '{} --help'.\n", error.message, error.command);
  return kUserError;
}

constexpr const char* kFooter =
    R"('lanewise help COMMAND' shows the options of a command. Further topics: files, functions,
configuration, environment, exit-codes. On a terminal, 'lanewise' alone opens the SQL shell.)";

constexpr struct {
  std::string_view name;
  void (*add)(CLI::App& app, Command& run);
} kCommands[] = {{"sql", add_sql_command},     {"grep", add_grep_command},   {"index", add_index_command},
                 {"pram", add_pram_command},   {"lab", add_lab_command},     {"graph", add_graph_command},
                 {"bench", add_bench_command}, {"study", add_study_command}, {"tune", add_tune_command},
                 {"info", add_info_command},   {"help", add_help_command}};

/// Adds only the chosen command if that is enough: adding the options of all commands takes longer than a
/// short query.
void add_commands(CLI::App& app, Command& run, std::string_view chosen) {
  const auto is_chosen = [&](const auto& command) { return command.name == chosen && chosen != "help"; };
  const bool needs_all = has_configuration() || std::ranges::none_of(kCommands, is_chosen);
  for (const auto& command : kCommands) {
    if (needs_all || is_chosen(command)) command.add(app, run);
  }
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "Lanewise runs SQL, text search, ordered indexes and PRAM programs on SIMD lanes, cores and GPUs."};
  app.name("lanewise");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("--version", std::string("lanewise ") + LANEWISE_VERSION, "Show the version");
  app.require_subcommand(1);
  Command run;
  const bool shell = argc == 1 && stdin_is_terminal() && stdout_is_terminal();
  std::vector<std::string> words(argv + 1, argv + argc);
  if (shell) words = {"sql"};
  add_commands(app, run, words.empty() ? "" : words[0]);
  app.footer(kFooter);  // of the program alone: commands would copy it when they are added
  if (words.empty()) {
    print("{}", app.help());
    return kOk;
  }
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
