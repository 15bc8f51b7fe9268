#pragma once

#include "data/column.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

using ParameterValues = duckdb::case_insensitive_map_t<duckdb::BoundParameterData>;

/// The values of a statement's parameters (?, $1, $name) from the row of `given`. Throws UserError that names
/// a parameter without a value, or a value without a parameter.
ParameterValues parameter_values(const duckdb::SQLStatement& statement, const Table& given);

/// The values passed by EXECUTE to a prepared statement; call it inside a transaction.
ParameterValues parameter_values(duckdb::ClientContext& context, const duckdb::ExecuteStatement& execute,
                                 const duckdb::SQLStatement& prepared);

}  // namespace lanewise::sql
