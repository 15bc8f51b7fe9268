#pragma once

#include <string>

/// The functions of SQL, from the tables that the engine uses.
namespace lanewise::cli {

/// All functions by group, with one line each.
std::string function_list();

/// The function of this name with its examples and their results; if there is none, those whose description
/// or example contains the word. Throws UserError if there are none either.
std::string function_help(const std::string& name);

}  // namespace lanewise::cli
