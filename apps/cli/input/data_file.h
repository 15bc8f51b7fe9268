#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Files of rows that DuckDB reads for a command.
namespace lanewise::cli {

/// A name ('"') or a string ('\'') quoted for SQL.
std::string sql_quoted(std::string_view text, char quote);

/// Whether two column names are equal in SQL, which ignores case.
bool same_name(std::string_view a, std::string_view b);

/// The line of a CSV file's record, both from 1. The header is a record; comments and empty lines are not.
/// Nothing for other kinds of files.
std::optional<int64_t> line_of(const std::string& file, int64_t record);

/// Throws UserError for an existing file that holds data, but not a database.
void require_database(const std::string& path);

}  // namespace lanewise::cli
