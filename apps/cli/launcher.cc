#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <string_view>

#include "exit_code.h"
#include "grep/command.h"
#include "guard.h"
#include "output/print.h"

/// The program that users start. grep runs here, since the library that the other commands need takes longer
/// to load than a search; they run in lanewise-engine, which stands in the same folder.
namespace lanewise::cli {
namespace {

int run_engine(char** argv) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  std::string engine(path, length > 0 ? static_cast<size_t>(length) : 0);
  engine.resize(engine.rfind('/') + 1);
  engine += "lanewise-engine";
  ::execv(engine.c_str(), argv);
  print_error("error: cannot start {}: {}\n", engine, std::strerror(errno));
  return kUserError;
}

int search(int argc, char** argv) {
  const auto code = grep::run_command({argv + 2, argv + argc});
  if (code) return *code;
  char name[] = "lanewise", command[] = "grep", help[] = "--help";
  char* words[] = {name, command, help, nullptr};
  return run_engine(words);
}

}  // namespace
}  // namespace lanewise::cli

int main(int argc, char** argv) {
  using namespace lanewise::cli;  // NOLINT: main has no other use of names
  if (argc > 1 && std::string_view(argv[1]) == "grep") return run_guarded(argc, argv, search);
  return run_engine(argv);
}
