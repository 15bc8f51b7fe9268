#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/rows_on_device.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "data/arrow/arrow_device.h"
#include "data/batches.h"
#include "data/column.h"
#include "exec/execute.h"
#include "lanes/tuning.h"
#include "ops/host_function.h"

namespace lanewise {

/// Value of SessionOptions::temp_directory that forbids temporary files.
inline constexpr const char* kNoTempDirectory = "none";

struct SessionOptions {
  std::string database;    ///< a DuckDB file; empty: in memory
  bool read_only = false;  ///< open the file for reading; several processes may then use it
  std::string lanes =
      "simd";  ///< simd, avx512, avx2, neon, interleaved, auto, scalar, branching, emulated, packed
  std::string device = "cpu";   ///< cpu, cuda or cuda:N, or auto: see docs/use/gpu.md
  size_t device_memory = 0;     ///< bytes of GPU memory to use; 0: nearly all of it
  std::string device_strategy;  ///< how GPUs match and group: see docs/use/gpu.md; empty: the fastest
  int64_t device_rows = 0;      ///< rows in a batch on the GPU; 0: the default
  int threads = 0;              ///< 0: one per core
  size_t memory_limit = 0;      ///< bytes; 0: 80 % of the machine's memory
  /// Folder for data that exceeds the memory limit; empty: $TMPDIR, else /var/tmp. With kNoTempDirectory,
  /// exceeding the limit is an error.
  std::string temp_directory;
  size_t engine_memory = 0;  ///< limit in bytes for the engine without DuckDB; 0: memory_limit; for tests
  size_t join_parts = 0;     ///< number of parts of a join; 0: as memory requires; for tests
  std::string join_pairs;    ///< a form of lanes/targets/pair_form.h, for cores; empty: the fastest
  std::string join_lookup;   ///< a form of ops/join/lookup_choice.h, for cores; empty: the fastest; for tests
  bool semi_joins_first =
      false;  ///< drop rows without a match before all else, even if that is slow; for tests
  bool fallback_duckdb = false;  ///< let DuckDB answer queries that are not supported
  uint32_t vector_rows = 0;      ///< 0: the default
  lanes::Tuning tuning = {};     ///< tuning measured on this machine
  /// Measured rates of this machine's GPU and cores, for `device` auto; if absent, defaults.
  std::optional<ops::PlacementCosts> placement = {};
  bool profile_lanes = false;  ///< the profile includes matchers and lane counters; slightly slower
};

/// The outcome of one statement.
struct StatementResult {
  bool has_rows = false;  ///< false for statements that are not queries
  Table table;
  /// The rows, if they stayed on the GPU: then the table has none. Only with `keep_on_device`.
  std::shared_ptr<RowsOnDevice> on_device = nullptr;
  /// The engine that answered: "lanewise", or "duckdb" for other statements and with fallback.
  std::string engine;
  std::string fallback_reason;  ///< why DuckDB answered a query
  double plan_seconds = 0;
  double run_seconds = 0;
  /// Time that DuckDB took to write the rows of COPY, CREATE TABLE AS or INSERT ... SELECT. While the query
  /// runs, it writes those that are there: only the time beyond the query's counts.
  std::optional<double> write_seconds;
  /// Time that DuckDB took to find the values of PIVOT without a list of them.
  std::optional<double> pivot_seconds;
  std::vector<std::string> computed_by_duckdb;  ///< functions and casts of the query's expressions
  size_t spilled = 0;                           ///< peak number of bytes in temporary files
  bool hot = false;                             ///< all columns were in the column store
  std::vector<std::string> files;               ///< files that the query reads
  std::vector<ops::OperatorProfile> profile;
};

class Session;

/// The result of a statement, read while it runs: about 64 MiB of rows are kept for the reader, and the
/// statement waits when it is ahead. Until the rows have ended or the stream is gone, the session does
/// nothing else, except cancel() and the conversion of tables. Neither may be used by two threads at once.
class ResultStream {
 public:
  /// As stop(). The session must still exist.
  ~ResultStream();
  ResultStream(ResultStream&&) noexcept;

  const Schema& schema() const;
  /// Waits for the next batch; nothing at the end. Throws the statement's error, after rows before the one
  /// that raised it, and again if called again.
  std::optional<Batch> next();
  /// Stops the statement if it still runs.
  void stop();
  /// next() as a function, which must not outlive the stream.
  Batches batches();
  /// What Session::run() returns, with a table without rows; times and profile are there after the end.
  const StatementResult& result() const;

 private:
  friend class Session;
  struct State;
  explicit ResultStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A connection: one DuckDB instance for parsing, binding and reading, one column store, one memory budget.
/// Not thread-safe, except for cancel().
class Session {
 public:
  /// Throws UserError if an option is invalid or the database cannot be opened.
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;

  /// Whether a statement of `sql` may change the database file, which must then be opened for writing.
  static bool may_change_database(const std::string& sql);
  /// Splits `sql` into its statements; throws UserError with line and caret on a syntax error.
  std::vector<std::string> split(const std::string& sql);
  /// The tables that the statements of `sql` name, including those that do not exist.
  std::vector<std::string> table_names(const std::string& sql);
  /// Runs one statement. With `keep_columns`, the column store keeps the columns that it reads for later
  /// statements. `parameters` is one row with a column for each parameter: "1", "2", ... for ? and $1, else
  /// by its name. `keep_on_device`: rows of a query that the GPU made stay there, if they are more than 1 MB,
  /// see StatementResult::on_device.
  StatementResult run(const std::string& statement, bool keep_columns = true, const Table& parameters = {},
                      bool keep_on_device = false);
  /// Starts a statement, whose rows are read as it gives them: for results larger than the memory. Rows of
  /// ORDER BY, GROUP BY and windows are complete in memory before the first is given.
  ResultStream stream(const std::string& statement, bool keep_columns = true, const Table& parameters = {});
  /// The plan as text, with targets, matchers and estimates; does not run it.
  /// With `kernels` also the sources of GPU kernels.
  std::string explain(const std::string& query, bool kernels = false, const Table& parameters = {});
  /// The table with its nested columns (lists, structs, maps) as JSON (Field::text_of).
  Table as_json(const Table& table);
  /// The table with strings for VARIANT, and for timestamps with time zones if the session's zone is not UTC.
  Table printable(const Table& table);
  /// Writes rows as Parquet, whole or not at all; throws UserError that names the path.
  void write_parquet(const Batches& rows, const std::string& path);

  /// Adds a table with the rows of an Arrow stream. The name is not case-sensitive. It replaces a table added
  /// before; a table of the database takes precedence. The stream is read to its end and released, even after
  /// an error. Arrays are released when the table is dropped or the session ends, and no result shares their
  /// memory. `keep_columns`: later statements will read the table, so column statistics are computed. Throws
  /// UserError that names the field, see data/arrow/arrow.h.
  void add_table(const std::string& name, ArrowArrayStream* stream, bool keep_columns = true);
  /// The same for arrays in device memory, see data/arrow/arrow_device.h. With `device` cuda or auto, the
  /// session's GPU reads them in place. The CPU reads a copy, which is made once.
  void add_table(const std::string& name, ArrowDeviceArrayStream* stream);
  /// The same for arrays; takes them and the schema.
  void add_table(const std::string& name, ArrowSchema* schema, std::span<ArrowDeviceArray> arrays);
  /// Throws UserError if no table of this name was added.
  void drop_table(const std::string& name);
  /// Adds a function of the application to SQL, see ops/host_function.h. It replaces a function added before
  /// under that name. Throws UserError if SQL has another function of that name, or a type is nested.
  void add_function(std::shared_ptr<const ops::HostFunction> function);
  /// Throws UserError if no function of this name was added.
  void drop_function(const std::string& name);
  /// Exports `table` to `out` as Arrow, with lists, structs and maps as Arrow's nested types. The stream may
  /// outlive the session. Throws UserError if a value does not fit.
  void to_arrow(Table table, ArrowArrayStream* out);
  /// The same for a schema, and for one batch of rows.
  void to_arrow(const Schema& schema, ArrowSchema* out);
  void to_arrow(const Schema& schema, Batch batch, ArrowArray* out);
  /// Exports a copy of `table` in GPU memory to `out`, which may outlive the session. Throws UserError if the
  /// session has no GPU or a value does not fit Arrow's types, and MemoryError.
  void to_device(const Table& table, ArrowDeviceArrayStream* out);
  /// The same for the arrays of `rows`, which is always released.
  void to_device(ArrowArrayStream* rows, ArrowDeviceArrayStream* out);

  /// After begin(), a cancel() also stops the next statement. Otherwise a cancel() before run() has no
  /// effect.
  void begin();
  /// Stops a running statement; safe to call from other threads and from signal handlers.
  void cancel();
  void set_progress(std::function<void(const std::string& what, double share)> progress);
  const MemoryBudget& budget() const;

 private:
  friend class ResultStream;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise
