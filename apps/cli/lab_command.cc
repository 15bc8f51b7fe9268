#include <memory>

#include "base/size.h"
#include "command.h"
#include "lab/serve.h"
#include "pram/inputs.h"

namespace lanewise::cli {

namespace {

const char* const kLabDescription =
    R"(Shows PRAM programs at work in the browser, on all executors of this machine.

  lanewise lab                           opens the page in the browser
  lanewise lab mine.pram                 the same, with your program
  lanewise lab components --no-open      prints the address of the page instead
  lanewise lab --host 0.0.0.0            for other machines, which need the token it prints

The page can only be reached from this machine, unless --host names another address. Ctrl-C ends the
server. docs/use/lab.md explains the page.
)";

struct LabOptions {
  lab::ServerOptions server;
  std::string memory_limit = "2GB";
  int64_t seconds = 60;
  bool no_open = false;
};

ExitCode run_lab(const LabOptions& given) {
  lab::ServerOptions options = given.server;
  options.limits.memory = parse_size(given.memory_limit);
  options.limits.time = std::chrono::seconds(given.seconds);
  if (!options.program.empty()) pram_command::program_text(options.program);  // the error comes at once
  return lab::serve(options, !given.no_open);
}

}  // namespace

void add_lab_command(CLI::App& app, Command& run) {
  auto given = std::make_shared<LabOptions>();
  CLI::App* lab = app.add_subcommand("lab", kLabDescription);
  lab->add_option("program", given->server.program, "A file, or the name of a program that Lanewise ships")
      ->type_name("PROGRAM");
  lab->add_option("--port", given->server.port, "Port to listen on; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->type_name("N")
      ->capture_default_str();
  lab->add_option("--host", given->server.host,
                  "Address to listen on; others than this machine's own need a token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  lab->add_flag("--no-open", given->no_open, "Do not open the browser");
  lab->add_option("--max-runs", given->server.most_runs, "Maximum number of runs at once; others wait")
      ->check(CLI::Range(1, 64))
      ->type_name("N")
      ->capture_default_str();
  lab->add_option("--max-steps", given->server.limits.steps, "Maximum number of steps of a run")
      ->check(CLI::Range(uint64_t{1}, uint64_t{0xFFFFFFFE}))
      ->type_name("N")
      ->capture_default_str();
  lab->add_option("--memory-limit", given->memory_limit, "Memory limit of a run")
      ->type_name("SIZE")
      ->capture_default_str();
  lab->add_option("--time-limit", given->seconds, "Maximum number of seconds of a run")
      ->check(CLI::Range(int64_t{1}, int64_t{86400}))
      ->type_name("SECONDS")
      ->capture_default_str();
  lab->callback([given, &run] { run = [given] { return run_lab(*given); }; });
}

}  // namespace lanewise::cli
