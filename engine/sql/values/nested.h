#pragma once

#include <cstdint>

#include "data/column.h"

namespace duckdb {
class Value;
class Vector;
}  // namespace duckdb

/// DuckDB's lists, arrays, structs and maps as packed values (data/packed.h), and back.
namespace lanewise::sql {

/// The first `rows` values of `nested`, which has type `type`, as BLOBs in a new vector.
duckdb::Vector packed_vector(duckdb::Vector& nested, Type type, int64_t rows);

/// Rows [first, first + rows) of a column of a nested type as values of `out`.
void expose_nested(const Column& column, int64_t first, int64_t rows, duckdb::Vector& out);

/// A constant of a nested type.
Value packed_value(const duckdb::Value& value, Type type);

}  // namespace lanewise::sql
