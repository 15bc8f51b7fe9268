#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Files of rows that DuckDB reads for a command.
namespace lanewise::cli {

/// A name ('"') or a text ('\'') as SQL writes it.
std::string sql_quoted(std::string_view text, char quote);

/// As SQL compares the names of columns: case does not matter.
bool same_name(std::string_view a, std::string_view b);

/// The line of a CSV file's record, both from 1; the header is a record, comments and empty lines are not.
/// Nothing for a file of another kind.
std::optional<int64_t> line_of(const std::string& file, int64_t record);

}  // namespace lanewise::cli
