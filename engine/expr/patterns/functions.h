#pragma once

#include <span>

#include "expr/function.h"

namespace lanewise {

std::span<const Function> pattern_functions();  ///< ~~ (LIKE), regexp_matches, ...

/// Its parts, one per file.
namespace expr {

std::span<const Function> match_functions();    ///< matches.cc: whether the string matches
std::span<const Function> extract_functions();  ///< extract.cc: the part that matches
std::span<const Function> rewrite_functions();  ///< rewrite.cc: replaces the parts that match

}  // namespace expr
}  // namespace lanewise
