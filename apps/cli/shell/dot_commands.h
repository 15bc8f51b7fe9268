#pragma once

#include <string>
#include <vector>

#include "shell/shell.h"

namespace lanewise::cli {

/// Runs a line such as ".mode csv". Throws UserError for an unknown command or a wrong argument.
void run_dot_command(Shell& shell, const std::string& line);

/// ".help", ".tables", ...
std::vector<std::string> dot_command_names();

}  // namespace lanewise::cli
