#include <string_view>

#include "grep/command.h"
#include "process/guard.h"
#include "process/sibling.h"

/// The program that users start. It runs grep itself, since loading the other commands' libraries takes
/// longer than a search. For the other commands it starts lanewise-engine, in the same folder.
namespace lanewise::cli {
namespace {

int search(int argc, char** argv) {
  const auto code = grep::run_command({argv + 2, argv + argc});
  if (code) return *code;
  return run_sibling("lanewise-engine", {"grep", "--help"});
}

}  // namespace
}  // namespace lanewise::cli

int main(int argc, char** argv) {
  using namespace lanewise::cli;  // NOLINT: main has no other use of names
  if (argc > 1 && std::string_view(argv[1]) == "grep") return run_guarded(argc, argv, search);
  return run_sibling("lanewise-engine", {argv + 1, argv + argc});
}
