#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/type.h"
#include "data/value.h"

namespace duckdb {
class ClientContext;
struct LogicalType;
class Value;
}  // namespace duckdb

namespace lanewise {
struct Field;
struct SqlType;
}  // namespace lanewise

namespace lanewise::sql {

/// Whether the engine stores its values as their casts to VARCHAR: these are equal if the
/// values are, but ordered differently.
bool is_held_as_text(const duckdb::LogicalType& type);

/// The same for values within nested ones.
bool holds_text(const duckdb::LogicalType& type);

/// Whether DuckDB computes functions and casts of such values: those that are stored as text, UNION and
/// VARIANT, also within nested values.
bool is_duckdbs(const duckdb::LogicalType& type);

/// Whether the type is VARIANT or has parts of it. Numbers in these are equal as expressions if their values
/// are, but as keys only if their types are, too.
bool holds_variant(const duckdb::LogicalType& type);

/// Whether the type is JSON or has parts of it.
bool holds_json(const duckdb::LogicalType& type);

/// Our type for DuckDB's, or nothing if there is none. JSON is VARCHAR, as are types that are stored as text.
std::optional<Type> find_type(const duckdb::LogicalType& type);

/// The Field::text_of of a column of this type: JSON, other types that are stored as strings, and nested
/// types with such parts.
std::string text_of(const duckdb::LogicalType& type);

/// Field::sql_type of a column of this type; null if text_of() is empty.
std::shared_ptr<const SqlType> sql_type(const duckdb::LogicalType& type);

/// Like find_type(); throws UnsupportedError that names the type and `what`, which has it ("column x").
Type type_of(const duckdb::LogicalType& type, std::string_view what);

/// DuckDB's type for ours.
duckdb::LogicalType to_duckdb(const Type& type);

/// DuckDB's type of the values that a column stands for, see Field::text_of.
duckdb::LogicalType duckdbs_type(const Field& field, duckdb::ClientContext& context);

/// A constant; its type has an equivalent, see find_type().
Value to_value(const duckdb::Value& value);

}  // namespace lanewise::sql
