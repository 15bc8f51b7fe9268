#pragma once

#include <string>

namespace lanewise::cli {

/// The contents of a text file, without a UTF-8 byte order mark; "-" is standard input. Throws UserError.
std::string read_file(const std::string& path);

/// Throws the same error for a file that DuckDB will read.
void require_file(const std::string& path);

}  // namespace lanewise::cli
