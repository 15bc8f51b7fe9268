#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/column.h"
#include "data/source.h"
#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// The sources of the SQL functions lanewise_rows() and read_arrow().
struct ExposedRows {
  const Table* table = nullptr;  ///< without an argument; null between uses
  std::map<std::string, std::shared_ptr<const Source>> sources = {};  ///< by its argument: lower-case names
  MemoryBudget* budget = nullptr;                                     ///< of what is read of them
  const Cancellation* cancellation = nullptr;                         ///< of reading them
  OpenFiles open_arrow = {};                                          ///< for read_arrow()
};

/// Registers lanewise_rows(): the rows of what is exposed, in order, read where they lie and by several
/// threads. Without an argument it is for COPY statements of ours; with one, it stands for the names of
/// sources wherever a query says one and the database has no table of that name. Likewise read_arrow() with
/// the path or pattern of Arrow files, for names that end like those.
void register_rows_function(duckdb::DatabaseInstance& instance, std::shared_ptr<const ExposedRows> exposed);

/// The source whose rows `get` reads; null if it reads something else.
std::shared_ptr<const Source> exposed_source(const duckdb::LogicalGet& get);

/// The files that it is read from.
std::vector<std::string> exposed_files(const duckdb::LogicalGet& get);

}  // namespace lanewise::sql
