#pragma once

#include <string>
#include <vector>

#include "shell/shell.h"

namespace lanewise::cli {

/// Runs a line such as ".mode csv". Throws UserError: no such command, a wrong argument.
void run_dot_command(Shell& shell, const std::string& line);

/// ".help", ".tables", ...
std::vector<std::string> dot_command_names();

}  // namespace lanewise::cli
