#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/database.h"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/kept_plans.h"
#include "sql/scan/rows_function.h"
#include "sql/scan/source.h"

namespace lanewise::sql {

/// DuckDB's instance, and the state kept between statements.
struct Database::State {
  duckdb::unique_ptr<duckdb::DuckDB> instance;
  duckdb::unique_ptr<duckdb::Connection> connection;
  std::shared_ptr<ExposedRows> exposed = std::make_shared<ExposedRows>();
  Generation generation;
  std::string disabled_optimizers;
  std::optional<std::string> temp_directory;  // at the start
  bool query_left_open = false;               // a query of the transaction is still open
  bool query_writes = false;                  // the transaction keeps values of sequences, and rejected rows
  std::vector<std::string> files;             // files of the last plan
  KeptPlans plans;

  std::atomic<bool> query_running{false};         // in another thread, by `connection`
  duckdb::unique_ptr<duckdb::Connection> second;  // for use meanwhile; made by the first such query
  std::atomic<duckdb::ClientContext*> second_context{nullptr};  // for interrupts by other threads

  /// Of the connection that may be used now.
  duckdb::ClientContext& context() { return *(query_running ? *second : *connection).context; }
  /// Gives the second connection the settings of the first.
  void prepare_second();

  // Parses a statement before it runs.
  duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> parse(const std::string& sql);
  Statement::Kind kind_of(const duckdb::SQLStatement& statement);
  /// Replaces EXPLAIN by the statement that it explains, if our engine runs that, and notes its form.
  void take_explained(duckdb::unique_ptr<duckdb::SQLStatement>& statement, Statement& result);
  /// The query of PIVOT without a list of values; the preceding statement makes a type of the
  /// values.
  const duckdb::SQLStatement* after_preparation(const duckdb::SQLStatement* statement);
  /// Begins a transaction unless the user has begun one. Beginning and ending one by SQL takes as long as a
  /// small query, so it is used only to close a query that was left open.
  std::shared_ptr<void> transaction();
  /// DuckDB's optimised plan of `parsed`, with resolved columns.
  struct LogicalPlan {
    duckdb::unique_ptr<duckdb::LogicalOperator> root;  // null: it is in a WritePlan
    bool stays_right;                                  // see kept_plans.h
  };
  /// Stores the query's columns in `result`.
  LogicalPlan logical_plan(const Statement& statement, const duckdb::SQLStatement& parsed, Query& result);
  /// The plan of the same text, in a new transaction; nothing: it is to be planned.
  std::optional<Query> planned_before(const Statement& statement);
  /// Forgets plans, since something that they depend on may change.
  void begin_change() {
    plans.clear();
    ++generation.writes;
  }

  /// Runs a statement and fetches its result.
  std::optional<Table> run(duckdb::unique_ptr<duckdb::SQLStatement> statement, bool reads_only,
                           const Table& parameters, MemoryBudget* budget);
  /// Runs a statement that is not a query; a file written by COPY appears whole or not at all.
  std::optional<Table> run_write(duckdb::unique_ptr<duckdb::SQLStatement> statement, const Table& parameters,
                                 MemoryBudget* budget);
  /// Exposes the rows to DuckDB's statements as lanewise_rows(), until the returned object is destroyed.
  std::shared_ptr<void> expose(const Batches& rows);
  /// Changes rows as exposed ones say; `commits` the transaction afterwards.
  std::optional<Table> change(WritePlan& plan, bool commits, const std::string& text, MemoryBudget* budget);
  /// A DuckDB query that returns rows of our engine.
  static std::string rows_query(const std::vector<std::string>& results);
  static std::string rows_query(size_t columns);
  /// The values of one expression for each column of `table`; expressions name the columns c0, c1, ...
  Table selected(const Table& table, const std::vector<std::string>& expressions);

 private:
  Table fetch(duckdb::QueryResult& result, MemoryBudget* budget);
  void find_files(duckdb::LogicalOperator& op);
  duckdb::unique_ptr<duckdb::LogicalOperator> optimized(duckdb::unique_ptr<duckdb::LogicalOperator> logical,
                                                        duckdb::Binder& binder);
};

}  // namespace lanewise::sql
