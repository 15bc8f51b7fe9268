#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/duckdb/duckdb_headers.h"
#include "sql/scan/rows_function.h"

namespace lanewise::sql {

/// How DuckDB writes the rows of a query.
struct WritePlan {
  std::vector<duckdb::LogicalType> types;  ///< of the rows
  /// DuckDB's plan of a statement that changes rows; null for others, which are planned when they write.
  duckdb::unique_ptr<duckdb::LogicalOperator> changes;
  duckdb::unique_ptr<duckdb::LogicalOperator>* query = nullptr;  ///< its place in that plan
  bool returns_rows = false;                                     ///< of RETURNING
  std::vector<std::string> names;                                ///< of their columns
};

/// The plan, with resolved columns, of UPDATE, DELETE, MERGE or INSERT, divided into the query that finds the
/// rows and the operators above it. CTEs of the statement become part of the query. Throws UserError if the
/// plan has another form.
WritePlan write_plan(duckdb::unique_ptr<duckdb::LogicalOperator> plan);

/// Exposed rows, cast to these types, as an operator in place of the query.
duckdb::unique_ptr<duckdb::LogicalOperator> rows_in_plan(duckdb::ClientContext& context,
                                                         std::shared_ptr<ExposedRows> exposed,
                                                         const std::vector<duckdb::LogicalType>& types);

/// `rows` with its columns cast to these types, by these names.
duckdb::unique_ptr<duckdb::SelectStatement> typed(duckdb::unique_ptr<duckdb::SQLStatement> rows,
                                                  const std::vector<duckdb::LogicalType>& types,
                                                  const std::vector<std::string>& names);

}  // namespace lanewise::sql
