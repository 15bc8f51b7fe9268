#pragma once

#include <string_view>

#include "text/syntax/ast.h"

namespace lanewise::text::syntax {

/// State of the (?ims-U) flags at the start of a pattern.
struct RegexFlags {
  bool fold_case = false;    ///< i
  bool multi_line = false;   ///< m: ^ and $ also at line ends
  bool dot_newline = false;  ///< s
  bool ungreedy = false;     ///< U: x* is lazy and x*? is not
};

/// Parses RE2's dialect. Throws UserError that marks the place.
Ast parse_regex(std::string_view pattern, RegexFlags flags);

/// The pattern is text; only fold_case matters.
Ast parse_literal(std::string_view pattern, RegexFlags flags);

}  // namespace lanewise::text::syntax
