#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

/// Replaces fmt::print(), whose exceptions for closed streams and full disks the commands do not expect.
namespace lanewise::cli {

/// Writes to standard output, at the latest when the program ends. Throws UserError if its disk is full,
/// ClosedPipe if its reader is gone.
void print_text(std::string_view text);
void flush_printed();

/// Writes to standard error. Failures are ignored: the exit code is still right.
void print_error_text(std::string_view text) noexcept;

template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_text(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void print_error(fmt::format_string<Args...> format, Args&&... args) {
  print_error_text(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lanewise::cli
