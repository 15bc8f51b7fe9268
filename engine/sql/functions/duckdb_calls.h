#pragma once

#include <vector>

#include "expr/expr.h"
#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// A call of DuckDB for `expression`, whose references #0, #1, ... are `args`, of DuckDB's types
/// `types`. The call is for rows of a query of `context`, inside its transaction.
ExprPtr call_duckdb(duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::Expression> expression,
                    const duckdb::vector<duckdb::LogicalType>& types, std::vector<ExprPtr> args);

}  // namespace lanewise::sql
