#pragma once

#include "expr/function.h"

/// The parts of the table of functions on numbers, one per file.
namespace lanewise::expr {

std::span<const Function> rounding_functions();  ///< rounding.cc: abs, round, floor, ...
std::span<const Function> analysis_functions();  ///< analysis.cc: sqrt, ln, pow, sin, ...
std::span<const Function> extremes_functions();  ///< extremes.cc: greatest, least, constant_or_null
std::span<const Function> divisor_functions();   ///< divisors.cc: gcd, lcm, factorial, bit_count

}  // namespace lanewise::expr
