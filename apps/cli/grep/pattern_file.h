#pragma once

#include <string>
#include <vector>

namespace lanewise::cli::grep {

/// Appends the lines of a file, each a pattern. "-" is standard input. Throws UserError.
void read_patterns(const std::string& path, std::vector<std::string>& patterns);

}  // namespace lanewise::cli::grep
