#pragma once

#include <string>

namespace lanewise::cli {

/// The whole of a text file, without a UTF-8 byte order mark; "-" is standard input. Throws UserError.
std::string read_file(const std::string& path);

/// The same error of a file that DuckDB is to read.
void require_file(const std::string& path);

}  // namespace lanewise::cli
