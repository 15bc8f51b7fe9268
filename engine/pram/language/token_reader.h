#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pram/language/lexer.h"
#include "pram/language/syntax.h"
#include "pram/tree/diagnostic.h"

namespace lanewise::pram::syntax {

/// Thrown after an error was reported; the caller finds a place to continue.
struct Lost {};
/// Thrown after so many errors that more would not help.
struct Hopeless {};

/// The tokens of a program, one after the other, and reports of those that are wrong.
class TokenReader {
 public:
  /// `diagnostics` outlives it; the last token is kEnd.
  TokenReader(std::vector<Token> tokens, std::vector<Diagnostic>& diagnostics)
      : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

 protected:
  const Token& peek(size_t ahead = 0) const;
  const Token& take();
  /// Takes the token if it is this one.
  bool accept(std::string_view text);
  /// The current token, for a message about the expected one.
  std::string stands() const;

  /// Only the first error of a line: later ones usually follow from it. Throws Hopeless.
  void report(const Place& place, std::string message, std::string advice);
  /// Reports an error at the current token. Throws Lost.
  [[noreturn]] void lose(std::string message, std::string advice);
  void expect(std::string_view text, std::string_view where, std::string_view advice = "");
  Name expect_name(std::string_view what);

  /// Runs `f`; after an error continues after the next block, at the next line that starts a statement or
  /// declaration, or at a '}'.
  template <class F>
  void recovering(F f) {
    const size_t before = at_;
    try {
      f();
    } catch (const Lost&) {
      recover(before);
    }
  }

  static std::string shown(const Token& token);
  uint32_t last_line() const { return at_ == 0 ? 0 : tokens_[at_ - 1].place.line; }

  std::vector<Token> tokens_;
  size_t at_ = 0;  // the current token
  Place last_;     // of the last token that was taken

 private:
  void recover(size_t before);
  void skip_block();

  std::vector<Diagnostic>& diagnostics_;
};

}  // namespace lanewise::pram::syntax
