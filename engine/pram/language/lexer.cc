#include "pram/language/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pram/language/names.h"

namespace lanewise::pram {

namespace {

constexpr auto kKeywords = std::to_array<std::string_view>(
    {"and",        "bool",  "const",  "down",  "else", "false", "for",  "function", "if",
     "inout",      "input", "int",    "int32", "mode", "not",   "or",   "output",   "private",
     "processors", "real",  "shared", "step",  "to",   "true",  "while"});

constexpr std::array<std::string_view, 5> kLongSymbols = {"==", "!=", "<=", ">=", ".."};
constexpr std::string_view kSymbols = "+-*/%<>=()[]{},:?;";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads token after token.
class Lexer {
 public:
  Lexer(std::string_view text, std::vector<Diagnostic>& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) next();
    tokens_.push_back({Token::Kind::kEnd, {}, {line_, column_of(at_), 1}});
    return std::move(tokens_);
  }

 private:
  uint32_t column_of(size_t at) const { return static_cast<uint32_t>(at - line_start_) + 1; }
  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void take(Token::Kind kind, size_t length) {
    const std::string_view word = text_.substr(at_, length);
    tokens_.push_back({kind, word, {line_, column_of(at_), static_cast<uint32_t>(length)}});
    at_ += length;
  }

  void next() {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      size_t length = std::min(text_.find('\n', at_), text_.size()) - at_;
      while (text_[at_ + length - 1] == '\r' || text_[at_ + length - 1] == ' ') --length;
      take(Token::Kind::kComment, length);
    } else if (is_letter(c)) {
      size_t length = 1;
      while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
      take(Token::Kind::kName, length);
    } else if (is_digit(c)) {
      number();
    } else if (const std::string_view pair = text_.substr(at_, 2);
               std::find(kLongSymbols.begin(), kLongSymbols.end(), pair) != kLongSymbols.end()) {
      take(Token::Kind::kSymbol, 2);
    } else if (kSymbols.find(c) != std::string_view::npos) {
      take(Token::Kind::kSymbol, 1);
    } else {
      unknown();
    }
  }

  /// 12, 0.5, 4e-2; a name must not follow directly.
  void number() {
    size_t length = 0;
    bool real = false;
    while (is_digit(peek(length))) ++length;
    if (peek(length) == '.' && is_digit(peek(length + 1))) {
      real = true;
      for (++length; is_digit(peek(length));) ++length;
    }
    if (peek(length) == 'e' || peek(length) == 'E') {
      const size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) {
        real = true;
        for (length += 1 + sign; is_digit(peek(length));) ++length;
      }
    }
    if (is_letter(peek(length))) {
      report(length, fmt::format("a number ends before '{}'", peek(length)),
             "write * between a number and a name: 2 * n");
    }
    take(real ? Token::Kind::kReal : Token::Kind::kInteger, length);
  }

  void unknown() {
    size_t length = 1;
    while ((peek(length) & 0xC0) == 0x80) ++length;  // the rest of a character in UTF-8
    const std::string_view what = text_.substr(at_, length);
    const char c = text_[at_];
    const char* advice = "";
    if (c == '!') advice = "write not";
    if (c == '&') advice = "write and, or bit_and(a, b) for integers";
    if (c == '|') advice = "write or, or bit_or(a, b) for integers";
    if (c == '^') advice = "write xor(a, b)";
    if (c == '.') advice = "a real begins with a digit: 0.5";
    if (c == '"' || c == '\'') advice = "there are no strings";
    const bool printable = static_cast<unsigned char>(c) >= 0x20;
    report(length, printable ? fmt::format("'{}' means nothing here", what) : "a control character", advice);
    at_ += length;
  }

  void report(size_t length, std::string message, std::string advice) {
    diagnostics_.push_back({.place = {line_, column_of(at_), static_cast<uint32_t>(length)},
                            .message = std::move(message),
                            .advice = std::move(advice)});
  }

  std::string_view text_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, std::vector<Diagnostic>& diagnostics) {
  return Lexer(text, diagnostics).run();
}

bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::string_view nearest_keyword(std::string_view word) {
  std::string_view best;
  // Two swapped letters are two edits; in a short word that would be another word.
  size_t least = word.size() < 3 || word.size() > 64 ? 0 : word.size() < 5 ? 2 : 3;
  for (const std::string_view keyword : kKeywords) {
    const size_t distance = edit_distance(word, keyword);
    if (distance < least) {
      least = distance;
      best = keyword;
    }
  }
  return best;
}

}  // namespace lanewise::pram
