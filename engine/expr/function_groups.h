#pragma once

#include <span>

#include "expr/function.h"

/// The parts of the function table, one per file or folder. functions() puts them together in the order of
/// names.
namespace lanewise {

std::span<const Function> comparison_functions();  ///< comparisons.cc: =, <, IS NULL, BETWEEN, NOT
std::span<const Function> arithmetic_functions();  ///< arithmetic/: + - * / // % and bit operations
std::span<const Function> math_functions();        ///< math/: abs, round, sqrt, greatest, ...
std::span<const Function> date_functions();        ///< dates/: date_part, date_trunc, date ± interval, ...
std::span<const Function> string_functions();      ///< strings/functions.cc: lower, substring, concat, ...
std::span<const Function> nested_functions();      ///< nested/: lists, structs, maps, lambdas
std::span<const Function> raise_functions();       ///< raise.cc: error
std::span<const Function> random_functions();      ///< random.cc: random, uuid
std::span<const Function> pattern_functions();     ///< patterns/functions.cc: ~~ (LIKE), regexp_matches, ...

/// A part of the table and its title in the help.
struct FunctionGroup {
  std::string_view title;
  std::span<const Function> functions;
};
std::span<const FunctionGroup> function_groups();

}  // namespace lanewise
