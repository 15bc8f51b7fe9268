#pragma once

#include "plan/node.h"
#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// The aggregate as DuckDB computes it, of `args`, which are its children: its states are DuckDB's, the
/// groups are the engine's. `call` has its DISTINCT, FILTER and type.
plan::AggregateCall call_duckdb(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                                plan::AggregateCall call, std::vector<ExprPtr> args);

}  // namespace lanewise::sql
