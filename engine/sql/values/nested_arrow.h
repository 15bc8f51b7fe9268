#pragma once

#include "sql/duckdb/duckdb_headers.h"
// DuckDB declares Arrow's structures first.
#include "data/arrow/arrow.h"

namespace lanewise::sql {

/// The columns of lists, structs, maps and unions, which a table holds as text (Field::text_of), in
/// DuckDB's layout for Arrow.
arrow::NestedColumns nested_arrow(duckdb::ClientContext& context, const Table& table);

}  // namespace lanewise::sql
