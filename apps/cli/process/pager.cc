#include "process/pager.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "process/print.h"
#include "process/terminal.h"

namespace lanewise::cli {

namespace {

constexpr int kNoSuchCommand = 127;  // of a shell

bool in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Empty: no pager.
std::string pager_command() {
  if (const char* const pager = std::getenv("PAGER"); pager != nullptr) return pager;
  return in_path("less") ? "less" : "";
}

}  // namespace

bool Pager::helps(std::string_view text) {
  return stdout_is_terminal() && std::ranges::count(text, '\n') >= terminal_height() &&
         !pager_command().empty();
}

Pager::Pager() : command_(pager_command()) {
  ::setenv("LESS", "FRSX", 0);  // cut wide lines, keep the last screen
  file_ = ::popen(command_.c_str(), "w");
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &interrupt_);
}

Pager::~Pager() {
  const int status = file_ == nullptr ? -1 : ::pclose(file_);
  ::sigaction(SIGINT, &interrupt_, nullptr);
  if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchCommand))
    print_error("PAGER names '{}', which cannot be run; .pager off shows results without it\n", command_);
}

}  // namespace lanewise::cli
