#pragma once

#include <string_view>

#include "text/syntax/char_set.h"
#include "text/syntax/regex_parser.h"

namespace lanewise::text::syntax {

/// Parses the parts of a regular expression for one character or a set of characters. `at` is moved
/// after the parsed part; errors are UserErrors that mark the position.
class CharClassParser {
 public:
  CharClassParser(std::string_view pattern, size_t& at) : pattern_(pattern), at_(at) {}

  /// A well-formed UTF-8 character.
  char32_t character();
  /// \n, \x41, \x{1F600}, \101, \. and so on; at_ is at the backslash.
  char32_t escape();
  /// \d \D \s \S \w \W \pL \p{Greek} \P{^Lu}; false if none of them is at at_.
  bool escaped_class(bool fold_case, CharSet& out);
  /// [...], at_ is at the opening bracket.
  CharSet bracket(bool fold_case);

  // Rust's dialect, in rust_class_parser.cc: classes nest and have && -- ~~, \d \s \w are Unicode's.
  char32_t rust_escape();
  bool rust_class(const RegexFlags& flags, CharSet& out);
  CharSet rust_bracket(const RegexFlags& flags, int depth = 0);
  /// Records a literal character of the pattern, for smart case.
  void note(char32_t c);
  bool has_literal = false, has_capital = false;

  [[noreturn]] void fail(std::string_view message, size_t begin, size_t end) const;

 private:
  CharSet rust_items(const RegexFlags& flags, size_t open, int depth);
  void rust_range(const RegexFlags& flags, size_t open, CharSet& out);
  bool done() const { return at_ >= pattern_.size(); }
  bool looking_at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  char32_t hex_escape(size_t begin);
  char32_t octal_escape(size_t begin);
  bool posix_class(bool fold_case, CharSet& out);
  void unicode_class(bool fold_case, CharSet& out);
  void range(size_t open, bool fold_case, CharSet& out);
  char32_t range_end(size_t open);

  std::string_view pattern_;
  size_t& at_;
};

/// Adds lo..hi and the same ASCII letters in the other case.
void add_folded_ascii(char32_t lo, char32_t hi, CharSet& out);

}  // namespace lanewise::text::syntax
