#include "shell/highlight.h"

#include <algorithm>
#include <cctype>

#include "shell/statement_text.h"

namespace lanewise::cli {

namespace {

Highlight highlight_of(TokenKind kind, std::string_view token, const Keywords& keywords) {
  switch (kind) {
    case TokenKind::kWord: {
      std::string lower(token);
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
      return keywords.contains(lower) ? Highlight::kKeyword : Highlight::kPlain;
    }
    case TokenKind::kNumber:
      return Highlight::kNumber;
    case TokenKind::kString:
      return Highlight::kString;
    case TokenKind::kComment:
      return Highlight::kComment;
    default:
      return Highlight::kPlain;
  }
}

char opening(char bracket) {
  return bracket == ')' ? '(' : bracket == ']' ? '[' : bracket == '}' ? '{' : '\0';
}

}  // namespace

std::vector<Highlight> highlight_sql(std::string_view before, std::string_view line,
                                     const Keywords& keywords) {
  const std::string text = std::string(before) + std::string(line);
  std::vector<Highlight> out(text.size(), Highlight::kPlain);
  std::vector<size_t> open;  // brackets
  for (size_t at = 0; at < text.size();) {
    const Token token = token_at(text, at);
    const std::string_view spelled = std::string_view(text).substr(at, token.end - at);
    std::fill_n(out.begin() + static_cast<ptrdiff_t>(at), spelled.size(),
                highlight_of(token.kind, spelled, keywords));
    if (!token.closed) out[at] = Highlight::kOpen;
    if (token.kind == TokenKind::kEnd) open.clear();
    if (token.kind == TokenKind::kBracket) {
      out[at] = Highlight::kOpen;
      if (opening(text[at]) == '\0') {
        open.push_back(at);
      } else if (!open.empty() && text[open.back()] == opening(text[at])) {
        out[at] = out[open.back()] = Highlight::kPlain;
        open.pop_back();
      }
    }
    at = token.end;
  }
  out.erase(out.begin(), out.begin() + static_cast<ptrdiff_t>(before.size()));
  return out;
}

std::vector<Highlight> highlight_dot_command(std::string_view line,
                                             const std::vector<std::string>& commands) {
  std::vector<Highlight> out(line.size(), Highlight::kPlain);
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  if (std::ranges::find(commands, name) != commands.end())
    std::fill_n(out.begin(), name.size(), Highlight::kKeyword);
  return out;
}

}  // namespace lanewise::cli
