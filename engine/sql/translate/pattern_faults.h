#pragma once

#include "sql/duckdb/duckdb_headers.h"
#include "sql/values/parameters.h"

namespace lanewise::sql {

/// DuckDB rejects an invalid constant pattern while it binds, without the position. This throws a UserError
/// that marks the position in the statement's first invalid pattern; returns if there is none.
void throw_pattern_fault(const duckdb::SQLStatement& statement, const ParameterValues& parameters);

}  // namespace lanewise::sql
