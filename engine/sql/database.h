#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/batches.h"
#include "data/column.h"
#include "data/source.h"
#include "ops/host_function.h"
#include "plan/node.h"

namespace duckdb {
class SQLStatement;
}

struct ArrowArrayStream;

namespace lanewise::sql {

/// Optimisers whose plans need features that the engine does not have, or has in a faster form. Each has its
/// case in database_test.cc. - compressed_materialization: wraps columns in functions that squeeze their
/// bits. - late_materialization: joins the table with itself by row number. - in_clause: makes IN lists joins
/// with the list. - regex_range: compares text with BLOBs before it is matched, which computes the text
/// twice. - row_group_pruner: reads row groups in another order than the source's. - sampling_pushdown: the
/// source takes the sample. - top_n_window_elimination, window_self_join: replace windows by other operators;
/// an error should name the query's own text.
inline constexpr const char* kDisabledOptimizers =
    "compressed_materialization,late_materialization,in_clause,regex_range,row_group_pruner,"
    "sampling_pushdown,top_n_window_elimination,window_self_join";

struct DatabaseOptions {
  std::string path{};       ///< a DuckDB file, created if it does not exist; empty: in memory
  bool read_only = false;   ///< several processes may read a file, or one may write it
  int threads = 1;          ///< of DuckDB's statements, and of our scans of its sources
  size_t memory_limit = 0;  ///< of DuckDB's own operators and cache; 0: DuckDB's default
  /// Where its temporary files are; empty: it has none; not set: DuckDB's default.
  std::optional<std::string> temp_directory{};
  /// For rows that its statements read from added sources. If it has a SpillFile, temporary files have no
  /// names.
  MemoryBudget* budget = nullptr;
  const Cancellation* cancellation = nullptr;  ///< of these reads
  OpenFiles open_arrow{};  ///< for names that end in .arrow; not set: no table has such a name
  std::string disabled_optimizers = kDisabledOptimizers;  ///< in addition to those that the user disables
};

/// One statement, parsed once.
struct Statement {
  enum class Kind : uint8_t {
    kQuery,  ///< run by our engine: SELECT in all its forms
    /// A statement whose query our engine runs and whose rows DuckDB writes: COPY (query) TO, CREATE TABLE
    /// AS, INSERT ... SELECT.
    kWrite,
    /// One whose query finds rows that DuckDB changes, in the same transaction: UPDATE, DELETE, INSERT with
    /// joins or subqueries, MERGE.
    kChange,
    kOther,  ///< run by DuckDB: DDL, UPDATE of one table, SET, also DESCRIBE, SHOW and CALL
  };
  enum class Explain : uint8_t { kNo, kPlan, kProfile };
  Explain explain = Explain::kNo;  ///< the other members then describe the explained statement
  enum class Format : uint8_t { kText, kJson, kYaml, kMermaid, kGraphviz, kHtml };
  Format format = Format::kText;  ///< of EXPLAIN

  std::string text;
  Kind kind = Kind::kOther;
  std::string name;  ///< of its type: "SELECT", "COPY"
  std::shared_ptr<duckdb::SQLStatement> parsed;
  Table parameters;  ///< one row: a column for each ? or $1, named "1", "2", and for each $name
};

/// Whether a statement in `sql` may change the database file. False if `sql` is invalid.
bool may_change_database(const std::string& sql);

struct WritePlan;

/// A planned query. It holds a transaction, so that its sources do not change; keep it for a short time.
struct Query {
  std::shared_ptr<void> transaction;  // ends last
  std::shared_ptr<void> executor;     // executor that some readers require for errors
  std::shared_ptr<WritePlan> write;   // of a statement that writes
  plan::NodePtr root;
  std::vector<std::string> names;                         ///< names of the result's columns
  std::vector<std::string> texts;                         ///< their Field::text_of
  std::vector<std::shared_ptr<const SqlType>> sql_types;  ///< their Field::sql_type
  /// Time that DuckDB took to find the values of PIVOT without a list of them.
  std::optional<double> pivot_seconds;
  std::set<std::string> computed_by_duckdb;  ///< names of functions and casts
};

/// One DuckDB instance and connection: parser, binder, optimiser, catalogue, file readers, and the engine for
/// statements that are not queries. DuckDB's errors are converted to ours and keep its text. Not thread-safe,
/// except for interrupt().
class Database {
 public:
  /// Throws UserError if a file cannot be opened or is not a database.
  explicit Database(const DatabaseOptions& options);
  ~Database();

  /// Splits `sql` into statements. Throws UserError with line and caret on a syntax error.
  std::vector<std::string> split(const std::string& sql);
  /// The tables named in `sql`, including those that do not exist.
  std::vector<std::string> table_names(const std::string& sql);
  /// Parses one statement. Throws UserError on a syntax error or if there are several.
  Statement parse(const std::string& text);
  /// Plans a query, or the query inside a statement that writes. Throws UserError if it is invalid, and
  /// UnsupportedError (errors.h) if it is valid but not supported by the engine.
  Query plan(const Statement& statement);
  Query plan(const std::string& query) { return plan(parse(query)); }
  /// DuckDB's result; nothing for statements without one. Types that the engine does not support become text.
  std::optional<Table> run(const Statement& statement, MemoryBudget* budget);
  std::optional<Table> run(const std::string& statement, MemoryBudget* budget) {
    return run(parse(statement), budget);
  }
  /// Lets DuckDB run a statement that writes, with these rows in place of its query's. A file that COPY
  /// writes is whole or absent. Throws UserError if it is one of files(). Rows are changed once, in the
  /// query's transaction, which is committed if the query began it.
  std::optional<Table> write(const Statement& statement, const Batches& rows, const Query& query,
                             MemoryBudget* budget);
  /// Whether write() may read the rows of this query while it runs, by the second connection. It does not
  /// know a transaction of the user and temporary tables, macros and sequences.
  bool writes_while_running(const Statement& statement, const Query& query);
  /// While a planned query runs in another thread, a second connection with the same settings converts and
  /// writes tables.
  void set_query_running(bool running);
  /// The files that the last planned query reads, even if its plan was not supported.
  const std::vector<std::string>& files() const;
  /// The table with JSON for the columns that have a Field::text_of.
  Table as_json(const Table& table);
  /// The table with strings, as SQL writes them, for values that Value::to_string() cannot print: VARIANT,
  /// and timestamps with time zones if the session's zone is not UTC.
  Table printable(const Table& table);
  /// Writes rows as Parquet, without copying them. Throws UserError that names the path.
  void write_parquet(const Batches& rows, const std::string& path);
  void write_parquet(const Table& table, const std::string& path) { write_parquet(batches_of(table), path); }
  /// Exports the table as Arrow, see data/arrow/arrow.h, with lists, structs and maps as nested types.
  void to_arrow(Table table, ArrowArrayStream* out);
  /// Lets statements read `source` by this name, which is not case-sensitive, unless the database has a table
  /// of that name.
  void add_source(const std::string& name, std::shared_ptr<const Source> source);
  /// Removes that source and returns it; null if there was none.
  std::shared_ptr<const Source> remove_source(const std::string& name);
  /// Adds a function of the application to SQL, see ops/host_function.h. It replaces one added before. Throws
  /// UserError if SQL has another function of that name, or a type is nested.
  void add_function(std::shared_ptr<const ops::HostFunction> function);
  /// Removes that function; false if there was none.
  bool remove_function(const std::string& name);
  /// The transaction that statements began accepts nothing but its end from now on, and is rolled back.
  void abort_transaction(const std::string& message);
  /// Stops plan(), run() and scans with CancelledError. Safe from other threads and from signal handlers.
  void interrupt();

  /// The current values of `SET threads`, `SET memory_limit` and `SET temp_directory`.
  struct Limits {
    int threads;
    size_t memory;
    std::string temp_directory;
    bool operator==(const Limits&) const = default;
  };
  Limits limits() const;
  /// Whether `SET lanewise_fallback = 'duckdb'` lets DuckDB run what the engine does not support.
  bool falls_back() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::sql
