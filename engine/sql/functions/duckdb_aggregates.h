#pragma once

#include "plan/node.h"
#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// A call of DuckDB's aggregate over `args`, which are its children: the states are DuckDB's, the
/// groups are the engine's. `call` has its DISTINCT, FILTER and type.
plan::AggregateCall call_duckdb(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                                plan::AggregateCall call, std::vector<ExprPtr> args);

}  // namespace lanewise::sql
