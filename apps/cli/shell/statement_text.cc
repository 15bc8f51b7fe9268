#include "shell/statement_text.h"

#include <cctype>

namespace lanewise::cli {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}
bool in_word(char c) { return begins_word(c) || is_digit(c) || c == '$'; }

/// $tag$ at `at`, or nothing.
std::string_view dollar_quote(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  return end < text.size() && text[end] == '$' ? text.substr(at, end + 1 - at) : std::string_view();
}

Token closed_by(TokenKind kind, std::string_view text, size_t from, std::string_view mark) {
  const size_t end = text.find(mark, from);
  if (end == std::string_view::npos) return {kind, text.size(), false};
  return {kind, end + mark.size()};
}

/// Nested comments count.
Token comment(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const std::string_view two = text.substr(at, 2);
    if (two == "/*") ++depth;
    if (two == "*/" && --depth == 0) return {TokenKind::kComment, at + 2};
    at += two == "/*" || two == "*/" ? 2 : 1;
  }
  return {TokenKind::kComment, text.size(), false};
}

/// E'it\'s': from after the quote.
Token escape_string(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '\'') at += text[at] == '\\' ? 2 : 1;
  return at < text.size() ? Token{TokenKind::kString, at + 1} : Token{TokenKind::kString, text.size(), false};
}

/// 12, 1_000, 0xFF, .5, 1.5e-3
Token number(std::string_view text, size_t at) {
  const bool hexadecimal = text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X";
  const auto belongs = [&](size_t i) {
    const char c = text[i];
    if (is_digit(c) || begins_word(c) || c == '.') return true;
    const char before = text[i - 1];
    return (c == '+' || c == '-') && !hexadecimal && (before == 'e' || before == 'E');
  };
  ++at;
  while (at < text.size() && belongs(at)) ++at;
  return {TokenKind::kNumber, at};
}

}  // namespace

Token token_at(std::string_view text, size_t at) {
  const char c = text[at];
  const std::string_view two = text.substr(at, 2);
  if (std::isspace(static_cast<unsigned char>(c)) != 0) return {TokenKind::kSpace, at + 1};
  if (c == ';') return {TokenKind::kEnd, at + 1};
  if (two == "--") {
    const size_t line_end = text.find('\n', at);
    return {TokenKind::kComment, line_end == std::string_view::npos ? text.size() : line_end + 1};
  }
  if (two == "/*") return comment(text, at);
  if (two == "e'" || two == "E'") return escape_string(text, at + 2);
  if (c == '\'') return closed_by(TokenKind::kString, text, at + 1, "'");
  if (c == '"') return closed_by(TokenKind::kName, text, at + 1, "\"");
  if (c == '$') {
    const std::string_view mark = dollar_quote(text, at);
    if (!mark.empty()) return closed_by(TokenKind::kString, text, at + mark.size(), mark);
  }
  if (std::string_view("()[]{}").find(c) != std::string_view::npos) return {TokenKind::kBracket, at + 1};
  if (is_digit(c) || (c == '.' && two.size() == 2 && is_digit(two[1]))) return number(text, at);
  if (!begins_word(c)) return {TokenKind::kOther, at + 1};
  size_t end = at + 1;
  while (end < text.size() && in_word(text[end])) ++end;
  return {TokenKind::kWord, end};
}

namespace {

bool is_space(const Token& token) {
  return token.closed && (token.kind == TokenKind::kSpace || token.kind == TokenKind::kComment);
}

}  // namespace

bool ends_with_statement(std::string_view text) {
  bool ended = false;
  for (size_t at = 0; at < text.size();) {
    const Token token = token_at(text, at);
    if (!is_space(token)) ended = token.kind == TokenKind::kEnd;
    at = token.end;
  }
  return ended;
}

bool in_string(std::string_view text, size_t& begin) {
  for (size_t at = 0; at < text.size();) {
    const Token token = token_at(text, at);
    begin = at;
    if (!token.closed) return text[at] == '\'';
    at = token.end;
  }
  return false;
}

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Token token = token_at(text, at);
    if (!is_space(token)) return false;
    at = token.end;
  }
  return true;
}

}  // namespace lanewise::cli
