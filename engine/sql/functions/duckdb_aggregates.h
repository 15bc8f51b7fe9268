#pragma once

#include "plan/node.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// A call of DuckDB's aggregate over `args`, which are its children: the states are DuckDB's, the
/// groups are the engine's. Its result may depend on the order of rows if `in_order`. `call` has its
/// DISTINCT, FILTER and type.
plan::AggregateCall call_duckdb(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                                bool in_order, plan::AggregateCall call, std::vector<ExprPtr> args);

/// The same for each of `lists`, which hold structs of the arguments in the order in which they count. `type`
/// is theirs in DuckDB.
ExprPtr call_duckdb_on_lists(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                             ExprPtr lists, const duckdb::LogicalType& type);

}  // namespace lanewise::sql
