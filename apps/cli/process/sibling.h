#pragma once

#include <string>
#include <vector>

#include "process/exit_code.h"

namespace lanewise::cli {

/// Replaces this process by the program `name` in the same folder. Returns only if that fails.
ExitCode run_sibling(const std::string& name, std::vector<std::string> words);

}  // namespace lanewise::cli
