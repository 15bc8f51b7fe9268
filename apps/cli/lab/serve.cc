#include "lab/serve.h"

#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "lab/access.h"
#include "output/print.h"

namespace lanewise::cli::lab {

namespace {

/// In the browser that the desktop prefers, where there is a desktop.
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

}  // namespace

ExitCode serve(const ServerOptions& options, bool open_browser) {
  Server server(options, load_page());
  print("The lab is at {}\n", server.url());
  if (!is_loopback(options.host)) print("Everyone with this address can run programs on this machine.\n");
  flush_printed();
  if (open_browser) show(server.url());
  server.serve();
  return kOk;
}

}  // namespace lanewise::cli::lab
