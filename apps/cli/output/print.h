#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

/// Words for people, instead of fmt::print(), which throws what no command expects where a stream is closed
/// or its disk full.
namespace lanewise::cli {

/// Writes to standard output, at the latest when the program ends. Throws UserError when its disk is full,
/// ClosedPipe when its reader has gone.
void print_text(std::string_view text);
void flush_printed();

/// Writes to standard error; what cannot be written is lost: the exit code says the rest.
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
