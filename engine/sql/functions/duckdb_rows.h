#pragma once

#include <vector>

#include "expr/expr.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// The rows that a table function gives for the row `args`, of DuckDB's types `types`: a list of structs of
/// its columns `columns`. Takes the bind data of `op`.
ExprPtr rows_of_duckdb(duckdb::ClientContext& context, duckdb::LogicalGet& op,
                       const duckdb::vector<duckdb::column_t>& columns,
                       const duckdb::vector<duckdb::LogicalType>& types, std::vector<ExprPtr> args);

}  // namespace lanewise::sql
