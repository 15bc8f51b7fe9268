#pragma once

#include <string_view>

#include "text/syntax/ast.h"

namespace lanewise::text::syntax {

/// State of the (?ims-U) flags at the start of a pattern.
struct RegexFlags {
  bool fold_case = false;    ///< i
  bool multi_line = false;   ///< m: ^ and $ also at line ends
  bool dot_newline = false;  ///< s
  bool ungreedy = false;     ///< U: x* is lazy and x*? is greedy
  bool rust = false;         ///< the dialect of Rust's crate regex, with these:
  bool unicode = true;       ///< u: \w, \d, \s, \b, . match characters, else bytes
  bool verbose = false;      ///< x: white space and comments are skipped
  bool crlf = false;         ///< $ also matches before \r\n, and nothing else matches \r without multi_line
  bool ascii_text = false;   ///< only strings of ASCII are matched
};

/// Parses RE2's dialect, or Rust's. Throws UserError that marks the position.
Ast parse_regex(std::string_view pattern, RegexFlags flags);

/// The pattern is text; only fold_case matters.
Ast parse_literal(std::string_view pattern, RegexFlags flags);

}  // namespace lanewise::text::syntax
