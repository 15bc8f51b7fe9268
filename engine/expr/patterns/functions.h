#pragma once

#include <span>

#include "expr/function.h"

/// The parts of pattern_functions(), one per file.
namespace lanewise::expr {

std::span<const Function> match_functions();    ///< matches.cc: does the string match
std::span<const Function> extract_functions();  ///< extract.cc: what matched
std::span<const Function> rewrite_functions();  ///< rewrite.cc: replace what matched

}  // namespace lanewise::expr
