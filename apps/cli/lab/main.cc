#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/size.h"
#include "lab/access.h"
#include "lab/options.h"
#include "lab/server.h"
#include "pram/named_program.h"
#include "process/exit_code.h"
#include "process/guard.h"
#include "process/print.h"

/// lanewise-lab, which `lanewise lab` starts: the server, whose libraries take longer to load than a short
/// query.
namespace lanewise::cli::lab {
namespace {

/// Opens the address in the desktop's browser, if there is a desktop.
void show(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, file, "/dev/null", 2 /* O_RDWR */, 0);
  pid_t child;
  ::posix_spawnp(&child, program.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
}

int serve(int argc, char** argv) {
  Options options;
  CLI::App app;
  app.set_help_flag();  // `lanewise lab` has it
  add_options(app, options);
  app.parse(argc, argv);
  if (!options.program.empty()) pram_command::program_text(options.program);  // the error comes at once
  const Limits limits{.steps = options.most_steps,
                      .memory = parse_size(options.memory_limit),
                      .time = std::chrono::seconds(options.seconds)};
  Server server({options.host, options.port, options.program, limits, options.most_runs}, load_page());
  print("The lab is at {}\n", server.url());
  if (!is_loopback(options.host)) print("Everyone with this address can run programs on this machine.\n");
  flush_printed();
  if (!options.no_open) show(server.url());
  server.serve();
  return kOk;
}

}  // namespace
}  // namespace lanewise::cli::lab

int main(int argc, char** argv) { return lanewise::cli::run_guarded(argc, argv, lanewise::cli::lab::serve); }
