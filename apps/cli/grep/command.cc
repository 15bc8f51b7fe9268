#include "grep/command.h"

#include <unistd.h>

#include <csignal>
#include <string_view>
#include <utility>

#include "grep/arguments.h"
#include "grep/encoding.h"
#include "grep/pattern.h"
#include "grep/run.h"
#include "grep/types.h"
#include "process/print.h"

namespace lanewise::cli::grep {

namespace {

ExitCode exit_code(const Options& options, const Outcome& outcome) {
  if (outcome.failed && !(options.quiet && outcome.selected)) return kUserError;
  return outcome.selected ? kOk : kNothingFound;
}

void report_shrunken_files() {
  std::signal(SIGBUS, [](int) {
    constexpr std::string_view kWhy =
        "lanewise grep: a file became shorter while it was searched, or its disk fails\n";
    ::_exit(::write(STDERR_FILENO, kWhy.data(), kWhy.size()) < 0 ? kBug : kUserError);
  });
}

ExitCode run_options(Options& options) {
  if (options.task == Task::kShowVersion) {
    print("lanewise {}\n", LANEWISE_VERSION);
    return kOk;
  }
  if (options.task == Task::kListTypes) {
    FileRules rules = options.files;
    rules.types.clear();
    print("{}", FileTypes(rules).list());
    return kOk;
  }
  OutputFile out;
  if (options.task == Task::kListFiles) {
    const Outcome outcome = list_files(options, out);
    out.close();
    return exit_code(options, outcome);
  }
  check_encoding(options.encoding);
  if (options.most == 0 || options.patterns.empty()) {
    compile(options);  // reports errors in patterns
    return kNothingFound;
  }
  report_shrunken_files();
  const Outcome outcome = run(options, out);
  out.close();
  return exit_code(options, outcome);
}

}  // namespace

std::optional<ExitCode> run_command(std::vector<std::string> words) {
  Arguments arguments = read_arguments(std::move(words));
  if (arguments.options.task == Task::kShowHelp) return std::nullopt;
  Options options = complete(std::move(arguments));
  return run_options(options);
}

}  // namespace lanewise::cli::grep
