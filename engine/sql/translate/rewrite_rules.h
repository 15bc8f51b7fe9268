#pragma once

#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// Takes out of DuckDB's optimizer, before it runs, the rewriting of expressions that changes answers
/// (docs/understand/decisions/0002-where-duckdb-is-wrong.md).
void keep_answers(duckdb::Optimizer& optimizer);

}  // namespace lanewise::sql
