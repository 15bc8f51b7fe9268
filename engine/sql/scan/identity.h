#pragma once

#include <string>
#include <vector>

#include "sql/scan/source.h"

namespace lanewise::sql {

/// A readable name: the table's name, the file's path ("a.parquet and 3 more"), the function's name.
std::string source_name(duckdb::LogicalGet& get);

/// The files that it reads; empty if it does not read files.
std::vector<std::string> source_files(duckdb::LogicalGet& get);

/// See Source::identity(). For files: path, size, modification time and inode of each, the function, its
/// arguments and its columns; for tables: database, table and write generation. Empty if nothing
/// proves that the content is unchanged: remote files, functions that compute rows. Also if reading has
/// another effect.
std::string source_identity(duckdb::LogicalGet& get, const Generation& generation);

/// Whether it stores what it could not read in tables: the options store_rejects, rejects_table and others.
bool stores_rejects(const duckdb::LogicalGet& get);

}  // namespace lanewise::sql
