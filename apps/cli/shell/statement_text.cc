#include "shell/statement_text.h"

#include <cctype>

namespace lanewise::cli {

namespace {

enum class Part { kSpace, kText, kEnd, kString, kOther };  // kEnd: a ';'; the last two are not closed

/// $tag$ at `at`, or nothing.
std::string_view dollar_quote(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  return end < text.size() && text[end] == '$' ? text.substr(at, end + 1 - at) : std::string_view();
}

/// Nested comments count.
size_t end_of_comment(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const std::string_view two = text.substr(at, 2);
    if (two == "/*") ++depth;
    if (two == "*/" && --depth == 0) return at + 2;
    at += two == "/*" || two == "*/" ? 2 : 1;
  }
  return std::string_view::npos;
}

/// The part that begins at `at`, which then stands after it.
Part next(std::string_view text, size_t& at) {
  const size_t begin = at;
  const char c = text[at];
  const auto closed_by = [&](std::string_view mark, Part open) {
    const size_t end = text.find(mark, at);
    at = end == std::string_view::npos ? text.size() : end + mark.size();
    return end == std::string_view::npos ? open : Part::kText;
  };
  ++at;
  if (std::isspace(static_cast<unsigned char>(c)) != 0) return Part::kSpace;
  if (c == ';') return Part::kEnd;
  if (text.substr(begin, 2) == "--") {
    closed_by("\n", Part::kSpace);
    return Part::kSpace;
  }
  if (text.substr(begin, 2) == "/*") {
    const size_t end = end_of_comment(text, begin);
    at = end == std::string_view::npos ? text.size() : end;
    return end == std::string_view::npos ? Part::kOther : Part::kSpace;
  }
  if (c == '\'') return closed_by("'", Part::kString);
  if (c == '"') return closed_by("\"", Part::kOther);
  if (c == '$') {
    const std::string_view mark = dollar_quote(text, begin);
    if (!mark.empty()) {
      at = begin + mark.size();
      return closed_by(mark, Part::kOther);
    }
  }
  return Part::kText;
}

}  // namespace

bool ends_with_statement(std::string_view text) {
  bool ended = false;
  for (size_t at = 0; at < text.size();) {
    const Part part = next(text, at);
    if (part != Part::kSpace) ended = part == Part::kEnd;
  }
  return ended;
}

bool in_string(std::string_view text, size_t& begin) {
  for (size_t at = 0; at < text.size();) {
    begin = at;
    if (next(text, at) == Part::kString) return true;
  }
  return false;
}

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (next(text, at) != Part::kSpace) return false;
  }
  return true;
}

}  // namespace lanewise::cli
