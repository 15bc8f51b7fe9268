#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/type.h"
#include "data/value.h"

namespace duckdb {
struct LogicalType;
class Value;
}  // namespace duckdb

namespace lanewise::sql {

/// Whether the engine stores its values as their casts to VARCHAR: these are equal if the
/// values are, but ordered differently.
bool is_held_as_text(const duckdb::LogicalType& type);

/// Our type for DuckDB's, or nothing if there is none. JSON is VARCHAR, as are types that are stored as text.
std::optional<Type> find_type(const duckdb::LogicalType& type);

/// The Field::text_of of a column of this type, for lists, structs, JSON and other types that are stored as
/// strings.
std::string text_of(const duckdb::LogicalType& type);

/// Like find_type(); throws UnsupportedError that names the type and `what`, which has it ("column x").
Type type_of(const duckdb::LogicalType& type, std::string_view what);

/// DuckDB's type for ours.
duckdb::LogicalType to_duckdb(const Type& type);

/// A constant; its type has an equivalent, see find_type().
Value to_value(const duckdb::Value& value);

}  // namespace lanewise::sql
