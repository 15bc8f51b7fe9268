#include "process/fault.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "process/alternate_stack.h"

namespace lanewise::cli {

namespace {

constexpr std::string_view kWhile = " while running: ";
constexpr std::string_view kCut = " ...";

// Fixed memory: a handler may not allocate.
char text[4096];
size_t size = 0;

void write_error(std::string_view part) {
  if (write(STDERR_FILENO, part.data(), part.size()) < 0) {
  }  // nothing is left to do
}

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic fault";
    case SIGILL:
      return "illegal instruction";
    default:
      return "abort";
  }
}

[[maybe_unused]] void on_fault(int signal) {
  write_error("This is a bug in lanewise, please report it: ");
  write_error(name_of(signal));
  write_error({text, size});
  write_error("\n");
  raise(signal);  // SA_RESETHAND restored the default action: the signal ends the process
}

}  // namespace

void report_faults() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which report more
  static const AlternateStack stack;
  struct sigaction action{};
  action.sa_handler = on_fault;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

void set_running(std::string_view what) {
  size = 0;
  if (what.empty()) return;
  const size_t room = sizeof(text) - kWhile.size() - kCut.size();
  char* end = std::copy(kWhile.begin(), kWhile.end(), text);
  end = std::copy_n(what.begin(), std::min(what.size(), room), end);
  if (what.size() > room) end = std::copy(kCut.begin(), kCut.end(), end);
  size = static_cast<size_t>(end - text);
}

std::string_view running() { return {text, size}; }

}  // namespace lanewise::cli
