#include "pram/tree/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::pram {

namespace {

std::string_view line_of(std::string_view text, uint32_t line) {
  for (; line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

std::string render_all(const std::vector<Diagnostic>& diagnostics, std::string_view text,
                       std::string_view file) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) {
    result += (result.empty() ? "" : "\n") + render(diagnostic, text, file);
  }
  return result;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, std::string_view text, std::string_view file) {
  const Place& place = diagnostic.place;
  const std::string_view line = line_of(text, place.line);
  std::string result =
      fmt::format("{}:{}:{}: {}{}\n", file, place.line, place.column,
                  diagnostic.severity == Diagnostic::Severity::kError ? "" : "warning: ", diagnostic.message);
  // Tabs stay tabs and continuation bytes take no column, so that the caret is below its position.
  std::string below;
  for (const char c : line.substr(0, std::min<size_t>(place.column - 1, line.size()))) {
    if ((c & 0xC0) != 0x80) below += c == '\t' ? '\t' : ' ';
  }
  below += '^';
  const size_t rest = line.size() + 1 > place.column ? line.size() + 1 - place.column : 0;
  if (const size_t length = std::min<size_t>(place.length, rest); length > 1) below.append(length - 1, '~');
  result += fmt::format("{:>5} | {}\n      | {}\n", place.line, line, below);
  if (!diagnostic.advice.empty()) result += fmt::format("      = {}\n", diagnostic.advice);
  return result;
}

ProgramError::ProgramError(std::vector<Diagnostic> diagnostics, std::string_view text, std::string_view file)
    : UserError(render_all(diagnostics, text, file)), diagnostics_(std::move(diagnostics)) {}

}  // namespace lanewise::pram
