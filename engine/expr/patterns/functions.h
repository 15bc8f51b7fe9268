#pragma once

#include <span>

#include "expr/function.h"

/// The parts of pattern_functions(), one per file.
namespace lanewise::expr {

std::span<const Function> match_functions();    ///< matches.cc: whether the string matches
std::span<const Function> extract_functions();  ///< extract.cc: the part that matches
std::span<const Function> rewrite_functions();  ///< rewrite.cc: replaces the parts that match

}  // namespace lanewise::expr
