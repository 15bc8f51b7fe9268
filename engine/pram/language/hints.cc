#include "pram/language/hints.h"

#include <fmt/format.h>

namespace lanewise::pram {

namespace {

/// The text from one token to before another.
std::string_view text_of(std::span<const Token> tokens, size_t begin, size_t end) {
  const char* first = tokens[begin].text.data();
  const std::string_view last = tokens[end - 1].text;
  return {first, static_cast<size_t>(last.data() + last.size() - first)};
}

/// The rest of a statement on its line from `at`, up to a ';' or a '}'; "..." if it is empty or long.
std::string_view value_from(std::span<const Token> tokens, size_t at, uint32_t line) {
  constexpr size_t kMost = 50;  // tokens: a program of one line has many statements
  size_t end = at;
  while (end < at + kMost && tokens[end].kind != Token::Kind::kEnd && tokens[end].place.line == line &&
         !tokens[end].is(";") && !tokens[end].is("}")) {
    ++end;
  }
  return end == at || end == at + kMost ? "..." : text_of(tokens, at, end);
}

bool is_arithmetic(const Token& token) {
  return token.kind == Token::Kind::kSymbol &&
         std::string_view("+-*/%").find(token.text) != std::string_view::npos;
}

}  // namespace

std::optional<AssignmentHint> assignment_hint(std::span<const Token> tokens, size_t target, size_t at) {
  if (at + 1 >= tokens.size()) return std::nullopt;
  const Token& first = tokens[at];
  const Token& second = tokens[at + 1];
  if (first.text.data() + first.text.size() != second.text.data()) return std::nullopt;  // not adjacent
  const std::string_view written = text_of(tokens, at, at + 2);
  const std::string_view variable = text_of(tokens, target, at);
  if (written == "++" || written == "--") {
    return AssignmentHint{written, fmt::format("write {0} = {0} {1} 1", variable, first.text), false};
  }
  const bool replaces = written == ":=" || written == "<-";
  if (!replaces && !(is_arithmetic(first) && second.is("="))) return std::nullopt;
  const std::string_view value = value_from(tokens, at + 2, first.place.line);
  if (replaces) return AssignmentHint{written, fmt::format("write {} = {}", variable, value)};
  const bool one_word = value.find_first_of(" +-*/%<>=?") == std::string_view::npos;
  return AssignmentHint{written, fmt::format("write {0} = {0} {1} {2}{3}{4}", variable, first.text,
                                             one_word ? "" : "(", value, one_word ? "" : ")")};
}

bool begins_parallel_loop(std::string_view word) {
  return word == "forall" || word == "foreach" || word == "parallel" || word == "parfor" || word == "pfor";
}

}  // namespace lanewise::pram
