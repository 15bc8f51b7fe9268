#pragma once

#include <optional>
#include <string>
#include <vector>

#include "process/exit_code.h"

namespace lanewise::cli::grep {

/// Runs `lanewise grep` with these words. It does not load the other commands' options, so it starts fast.
/// nullopt: --help was given.
std::optional<ExitCode> run_command(std::vector<std::string> words);

}  // namespace lanewise::cli::grep
