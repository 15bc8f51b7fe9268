#pragma once

#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// Removes the rewrite rules that change results from DuckDB's optimiser, before it runs
/// (docs/understand/decisions/0002-where-duckdb-is-wrong.md).
void keep_answers(duckdb::Optimizer& optimizer);

}  // namespace lanewise::sql
