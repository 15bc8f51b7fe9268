#pragma once

#include <span>
#include <string_view>

#include "expr/function.h"

/// The table of all functions.
namespace lanewise {

/// All functions, in the order of their names.
std::span<const Function> functions();

/// The name in the table for which `name` is an alias: "power" for "pow"; else `name`.
std::string_view standard_name(std::string_view name);

/// The function with that name for these argument types, or null. Names are SQL's, operators included ("+",
/// "~~").
const Function* find_function(std::string_view name, std::span<const Type> args);

/// A part of the table and its title in the help.
struct FunctionGroup {
  std::string_view title;
  std::span<const Function> functions;
};
std::span<const FunctionGroup> function_groups();

std::span<const Function> raise_functions();  ///< raise.cc: error, which is of no other kind

}  // namespace lanewise
