#pragma once

#include "expr/function.h"

namespace lanewise {

std::span<const Function> math_functions();    ///< abs, round, sqrt, greatest, ...
std::span<const Function> random_functions();  ///< random.cc: random, uuid

/// The parts of math_functions(), one per file.
namespace expr {

std::span<const Function> rounding_functions();  ///< rounding.cc: abs, round, floor, ...
std::span<const Function> analysis_functions();  ///< analysis.cc: sqrt, ln, pow, sin, ...
std::span<const Function> extremes_functions();  ///< extremes.cc: greatest, least, constant_or_null
std::span<const Function> divisor_functions();   ///< divisors.cc: gcd, lcm, factorial, bit_count

}  // namespace expr
}  // namespace lanewise
