#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/column.h"
#include "data/source.h"
#include "plan/node.h"

namespace lanewise::sql {

struct DatabaseOptions {
  std::string path{};       ///< a DuckDB file, made where it does not exist; empty: in memory
  int threads = 1;          ///< of DuckDB's statements, and for how many of ours its scans are prepared
  size_t memory_limit = 0;  ///< of DuckDB's own operators and cache; 0: DuckDB's default
  MemoryBudget* budget = nullptr;              ///< of what its statements read of added sources
  const Cancellation* cancellation = nullptr;  ///< of reading those
};

/// A planned query. It holds a transaction, so that its sources stay what they were: end it soon.
struct Query {
  std::shared_ptr<void> transaction;  // ends last
  std::shared_ptr<void> executor;     // that some readers ask for errors
  plan::NodePtr root;
  std::vector<std::string> names;  ///< of the result's columns
};

/// One DuckDB instance and connection: parser, binder, optimiser, catalogue, file readers, and the engine of
/// statements that are not queries. All errors are ours, with DuckDB's text. Not thread-safe but for
/// interrupt().
class Database {
 public:
  /// Throws UserError: a file that cannot be opened or is no database.
  explicit Database(const DatabaseOptions& options);
  ~Database();

  /// The statements of a text. Throws UserError with line and caret on a syntax error.
  std::vector<std::string> split(const std::string& sql);
  /// Whether our engine is to answer the statement: SELECT in all its forms. DESCRIBE, SHOW, SUMMARIZE,
  /// PRAGMA, CALL and EXPLAIN are not queries here; they have results, but DuckDB's.
  bool is_query(const std::string& statement);
  /// Throws UserError where the query is wrong, UnsupportedError (errors.h) where only the engine lacks
  /// something.
  Query plan(const std::string& query);
  /// DuckDB's result; nothing for statements that have none. Types that the engine lacks become text.
  std::optional<Table> run(const std::string& statement, MemoryBudget* budget);
  /// Writes a table as Parquet, reading it where it lies. Throws UserError that names the path.
  void write_parquet(const Table& table, const std::string& path);
  /// Lets statements read `source` by this name, in any case, unless the database has a table of that name.
  void add_source(const std::string& name, std::shared_ptr<const Source> source);
  /// Ends that; null: there was none.
  std::shared_ptr<const Source> remove_source(const std::string& name);
  /// Stops plan(), run() and scans with CancelledError. Safe from other threads and from signal handlers.
  void interrupt();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::sql
