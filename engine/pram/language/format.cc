#include "pram/language/format.h"

#include <algorithm>
#include <vector>

#include "pram/language/lexer.h"

namespace lanewise::pram {

namespace {

bool closes(const Token& token) { return token.is(")") || token.is("]"); }
bool opens(const Token& token) { return token.is("(") || token.is("["); }

/// Whether `token` ends an operand, so that a '-' after it subtracts and a '[' after it is an index.
bool is_value(const Token& token) {
  if (token.kind == Token::Kind::kInteger || token.kind == Token::Kind::kReal) return true;
  if (closes(token)) return true;
  return token.kind == Token::Kind::kName &&
         (!is_keyword(token.text) || token.is("true") || token.is("false"));
}

bool is_type(const Token& token) {
  return token.is("int") || token.is("int32") || token.is("real") || token.is("bool");
}

class Formatter {
 public:
  explicit Formatter(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::string run() {
    for (size_t i = 0; tokens_[i].kind != Token::Kind::kEnd; ++i) {
      const bool begins = i == 0 || tokens_[i].place.line != tokens_[i - 1].place.line;
      if (begins) {
        new_line(i);
      } else if (tokens_[i].kind == Token::Kind::kComment) {
        text_ += "  ";
      } else if (spaced(i)) {
        text_ += ' ';
      }
      text_ += tokens_[i].text;
      if (tokens_[i].is("{")) ++depth_;
      if (tokens_[i].is("}") && depth_ > 0) --depth_;
      if (opens(tokens_[i])) ++brackets_;
      if (closes(tokens_[i]) && brackets_ > 0) --brackets_;
    }
    if (!text_.empty()) text_ += '\n';
    return std::move(text_);
  }

 private:
  void new_line(size_t i) {
    if (i != 0) {
      text_ += '\n';
      if (tokens_[i].place.line > tokens_[i - 1].place.line + 1) text_ += '\n';
    }
    size_t indent = depth_;
    if (tokens_[i].is("}") && indent > 0) --indent;
    // A continuation line is indented further.
    const bool ends_operator = i > 1 && tokens_[i - 2].is("combining");
    const bool goes_on = brackets_ > 0 || (i != 0 && continues(tokens_[i - 1]) && !ends_operator);
    text_.append(2 * indent + (goes_on && tokens_[i].kind != Token::Kind::kComment ? 4 : 0), ' ');
  }

  /// A line that ends like this is not the end of a statement.
  static bool continues(const Token& last) {
    if (last.kind == Token::Kind::kSymbol) {
      return !closes(last) && !last.is("{") && !last.is("}") && !last.is(";");
    }
    return last.is("and") || last.is("or") || last.is("not");
  }

  bool is_sign(size_t i) const { return tokens_[i].is("-") && (i == 0 || !is_value(tokens_[i - 1])); }

  /// Whether a space precedes token i on its line.
  bool spaced(size_t i) const {
    const Token& last = tokens_[i - 1];
    const Token& token = tokens_[i];
    if (opens(last) || closes(token) || token.is(",") || token.is(";")) return false;
    if (is_sign(i - 1)) return false;
    if (token.is("[")) return false;
    if (token.is("(")) return !(is_type(last) || (last.kind == Token::Kind::kName && is_value(last)));
    return true;
  }

  std::vector<Token> tokens_;
  std::string text_;
  size_t depth_ = 0;
  size_t brackets_ = 0;
};

}  // namespace

std::string format(std::string_view text) {
  std::vector<Diagnostic> ignored;
  return Formatter(tokenize(text, ignored)).run();
}

}  // namespace lanewise::pram
