#include <memory>

#include "command.h"
#include "lab/options.h"
#include "process/sibling.h"

namespace lanewise::cli {

namespace {

const char* const kLabDescription =
    R"(Shows PRAM programs in the browser, step by step, on all executors of this machine.

  lanewise lab                           opens the page in the browser
  lanewise lab mine.pram                 the same, with your program
  lanewise lab components --no-open      prints the address of the page instead
  lanewise lab --host 0.0.0.0            for other machines, which need the token it prints

The page can only be reached from this machine, unless --host names another address. Ctrl-C ends the
server. docs/use/lab.md explains the page.
)";

}  // namespace

void add_lab_command(CLI::App& app, Command& run) {
  auto options = std::make_shared<lab::Options>();
  CLI::App* lab = app.add_subcommand("lab", kLabDescription);
  lab::add_options(*lab, *options);
  lab->callback(
      [options, &run] { run = [options] { return run_sibling("lanewise-lab", lab::to_words(*options)); }; });
}

}  // namespace lanewise::cli
