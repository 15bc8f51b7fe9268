#include "pram/language/token_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::pram::syntax {

namespace {

constexpr size_t kMostMistakes = 20;

}  // namespace

const Token& TokenReader::peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& TokenReader::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  last_ = token.place;
  return token;
}

bool TokenReader::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  take();
  return true;
}

std::string TokenReader::shown(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the program ends" : fmt::format("'{}'", token.text);
}

std::string TokenReader::stands() const {
  return peek().kind == Token::Kind::kEnd ? shown(peek()) : "stands " + shown(peek());
}

void TokenReader::report(const Place& place, std::string message, std::string advice) {
  const bool reported = std::any_of(diagnostics_.begin(), diagnostics_.end(),
                                    [&](const Diagnostic& other) { return other.place.line == place.line; });
  if (!reported)
    diagnostics_.push_back({.place = place, .message = std::move(message), .advice = std::move(advice)});
  if (diagnostics_.size() >= kMostMistakes) throw Hopeless();
}

void TokenReader::lose(std::string message, std::string advice) {
  const bool ends = peek().kind == Token::Kind::kEnd && at_ > 0;  // show the last token instead of nothing
  report(ends ? tokens_[at_ - 1].place : peek().place, std::move(message), std::move(advice));
  throw Lost();
}

void TokenReader::expect(std::string_view text, std::string_view where, std::string_view advice) {
  if (accept(text)) return;
  lose(fmt::format("'{}' is missing {}; here {}", text, where, stands()), std::string(advice));
}

Name TokenReader::expect_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind != Token::Kind::kName) lose(fmt::format("{} is missing", what), "");
  if (is_keyword(token.text))
    lose(fmt::format("'{}' cannot be {}", token.text, what), "it is a word of the language");
  take();
  return {token.text, token.place};
}

void TokenReader::recover(size_t before) {
  if (at_ == before && peek().kind != Token::Kind::kEnd) ++at_;
  const uint32_t line = last_line();
  for (; peek().kind != Token::Kind::kEnd && !peek().is("}"); ++at_) {
    if (peek().place.line > line && peek().kind == Token::Kind::kName) break;
    if (!peek().is("{")) continue;
    skip_block();
    if (!peek().is("else")) break;
  }
}

/// From a '{' to after its '}'.
void TokenReader::skip_block() {
  size_t depth = 0;
  do {
    depth += peek().is("{") ? 1 : 0;
    depth -= peek().is("}") ? 1 : 0;
    take();
  } while (depth > 0 && peek().kind != Token::Kind::kEnd);
}

}  // namespace lanewise::pram::syntax
