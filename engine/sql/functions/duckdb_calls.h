#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/column.h"
#include "expr/expr.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// A call of DuckDB for `expression`, whose references #0, #1, ... are `args`, of DuckDB's types
/// `types`. The call is for rows of a query of `context`, inside its transaction.
ExprPtr call_duckdb(duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::Expression> expression,
                    const duckdb::vector<duckdb::LogicalType>& types, std::vector<ExprPtr> args);

/// A call of `run`, which DuckDB computes, for batches of `args`. `text` is that of EXPLAIN, which
/// distinguishes calls.
ExprPtr call_of_duckdb(const std::string& text, Type result, std::vector<ExprPtr> args, bool varies,
                       std::function<std::vector<Batch>(const Batch&)> run);

}  // namespace lanewise::sql
