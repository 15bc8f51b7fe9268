#pragma once

#include <cstdint>

#include "data/column.h"
#include "sql/duckdb/duckdb_headers.h"

/// Columns as DuckDB's vectors and values.
namespace lanewise::sql {

/// Copies rows [first, first + rows) of a column to the start of an empty, flat vector: up to 2,048, strings
/// by reference.
void expose(const Column& column, int64_t first, int64_t rows, duckdb::Vector& vector);

/// The rows as a vector of `type`, which the engine may store as text.
duckdb::Vector exposed(const Column& column, int64_t first, int64_t rows, const duckdb::LogicalType& type,
                       duckdb::ClientContext& context);

/// One value of a column.
duckdb::Value value_at(const Column& column, int64_t row);

}  // namespace lanewise::sql
