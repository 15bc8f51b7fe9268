#pragma once

#include <string>

/// The functions of SQL, from the engine's tables.
namespace lanewise::cli {

/// All functions by group, one line each.
std::string function_list();

/// The function of this name with its examples and results. If there is none: functions whose description or
/// example contains the word. Throws UserError if there are none either.
std::string function_help(const std::string& name);

}  // namespace lanewise::cli
