#pragma once

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/batches.h"
#include "data/column.h"
#include "data/source.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// The sources of the SQL functions lanewise_rows() and read_arrow().
struct ExposedRows {
  const Batches* rows = nullptr;   ///< for calls without an argument; null between uses
  std::exception_ptr failed = {};  ///< what their next() threw
  std::map<std::string, std::shared_ptr<const Source>> sources = {};  ///< by argument: lower-case names
  MemoryBudget* budget = nullptr;                                     ///< for rows that are read from them
  const Cancellation* cancellation = nullptr;                         ///< of these reads
  OpenFiles open_arrow = {};                                          ///< for read_arrow()
};

/// Registers lanewise_rows(): the exposed rows, in order, read in place and by several
/// threads. Without an argument it is for our COPY statements; with one, it replaces the names of
/// sources in queries, unless the database has a table of that name. Likewise read_arrow() with
/// the path or pattern of Arrow files replaces names that end like those.
void register_rows_function(duckdb::DatabaseInstance& instance, std::shared_ptr<ExposedRows> exposed);

/// A scan of the exposed rows.
duckdb::unique_ptr<duckdb::LogicalGet> exposed_rows(duckdb::ClientContext& context,
                                                    std::shared_ptr<ExposedRows> exposed);

/// The source whose rows `get` reads; null if it reads something else.
std::shared_ptr<const Source> exposed_source(const duckdb::LogicalGet& get);

/// The files that this source reads.
std::vector<std::string> exposed_files(const duckdb::LogicalGet& get);

}  // namespace lanewise::sql
