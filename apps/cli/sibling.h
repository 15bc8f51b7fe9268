#pragma once

#include <string>
#include <vector>

#include "exit_code.h"

namespace lanewise::cli {

/// Becomes the program `name` in the folder of this one. Returns only where that is not possible.
ExitCode run_sibling(const std::string& name, std::vector<std::string> words);

}  // namespace lanewise::cli
