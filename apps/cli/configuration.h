#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanewise::cli {

/// Whether the user has a configuration file.
bool has_configuration();

/// Applies the user's configuration file as defaults of the command that `words` name. Checks the names of
/// all sections and options. Throws UserError that names the file and the option.
void apply_configuration(CLI::App& app, const std::vector<std::string>& words);

}  // namespace lanewise::cli
