#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/database.h"
#include "sql/duckdb_headers.h"
#include "sql/scan/rows_function.h"
#include "sql/scan/source.h"

namespace lanewise::sql {

/// DuckDB's instance, and what is known between its statements.
struct Database::State {
  duckdb::unique_ptr<duckdb::DuckDB> instance;
  duckdb::unique_ptr<duckdb::Connection> connection;
  std::shared_ptr<ExposedRows> exposed = std::make_shared<ExposedRows>();
  Generation generation;
  std::string disabled_optimizers;
  bool query_left_open = false;    // in the transaction
  std::vector<std::string> files;  // of the last plan

  duckdb::ClientContext& context() { return *connection->context; }

  // Before a statement runs.
  duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> parse(const std::string& sql);
  Statement::Kind kind_of(const duckdb::SQLStatement& statement);
  /// Puts what EXPLAIN explains in its place, if our engine runs it.
  Statement::Explain take_explained(duckdb::unique_ptr<duckdb::SQLStatement>& statement);
  /// The query of PIVOT without a list of values, after the statement before it, which makes a type of the
  /// values.
  const duckdb::SQLStatement* after_preparation(const duckdb::SQLStatement* statement);
  /// Begins a transaction unless the user has begun one. Statements that begin and end it take as long as a
  /// small query each; only where a query was left open one ends it, and closes that.
  std::shared_ptr<void> transaction();
  /// DuckDB's plan of `parsed`, optimised, its columns resolved. Notes in `result` what the query gives.
  duckdb::unique_ptr<duckdb::LogicalOperator> logical_plan(const Statement& statement,
                                                           const duckdb::SQLStatement& parsed, Query& result);

  /// Runs a statement and fetches its result.
  std::optional<Table> run(duckdb::unique_ptr<duckdb::SQLStatement> statement, bool reads_only,
                           const Table& parameters, MemoryBudget* budget);
  /// Runs a statement that is not a query; the file of COPY appears whole or not at all.
  std::optional<Table> run_write(duckdb::unique_ptr<duckdb::SQLStatement> statement, const Table& parameters,
                                 MemoryBudget* budget);
  /// Lets DuckDB's statements read the table as lanewise_rows(), until what it returns ends.
  std::shared_ptr<void> expose(const Table& table);
  /// Rows that our engine holds, as a query for DuckDB.
  static std::string rows_query(const std::vector<std::string>& results);
  /// The values of one expression for each column of `table`, which the expressions call c0, c1, ...
  Table selected(const Table& table, const std::vector<std::string>& expressions);

 private:
  Table fetch(duckdb::QueryResult& result, MemoryBudget* budget);
  void find_files(duckdb::LogicalOperator& op);
  duckdb::unique_ptr<duckdb::LogicalOperator> optimized(duckdb::unique_ptr<duckdb::LogicalOperator> logical,
                                                        duckdb::Binder& binder);
};

}  // namespace lanewise::sql
