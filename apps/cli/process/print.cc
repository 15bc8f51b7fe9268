#include "process/print.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "process/output_file.h"

namespace lanewise::cli {

namespace {

OutputFile& printed() {
  static OutputFile out;
  return out;
}

}  // namespace

void print_text(std::string_view text) { printed().write(text); }

void flush_printed() { printed().close(); }

void print_error_text(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace lanewise::cli
