#pragma once

#include "sql/duckdb_headers.h"
#include "sql/parameters.h"

namespace lanewise::sql {

/// DuckDB refuses a bad constant pattern while it binds, without saying where the fault is. This throws the
/// fault of the first bad pattern in the statement as a UserError that marks the place; returns if there is
/// none.
void throw_pattern_fault(const duckdb::SQLStatement& statement, const ParameterValues& parameters);

}  // namespace lanewise::sql
