#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/arrow_device.h"
#include "data/column.h"
#include "exec/execute.h"
#include "lanes/tuning.h"
#include "ops/host_function.h"

namespace lanewise {

/// SessionOptions::temp_directory where nothing may be written.
inline constexpr const char* kNoTempDirectory = "none";

struct SessionOptions {
  std::string database;    ///< a DuckDB file; empty: in memory
  bool read_only = false;  ///< of that file: several processes may read it, or one writes
  std::string lanes =
      "simd";  ///< simd, avx512, avx2, neon, interleaved, auto, scalar, branching, emulated, packed
  std::string device = "cpu";   ///< cpu, cuda or cuda:N, or auto: see docs/use/gpu.md
  size_t device_memory = 0;     ///< bytes of GPU memory to use; 0: nearly all
  std::string device_strategy;  ///< how GPUs match and group: see docs/use/gpu.md; empty: the fastest
  int64_t device_rows = 0;      ///< rows that the GPU handles at a time; 0: the default
  int threads = 0;              ///< 0: one per core
  size_t memory_limit = 0;      ///< bytes; 0: 80 % of the machine's memory
  /// Where that lies for which there is no memory left; empty: $TMPDIR, else /var/tmp. kNoTempDirectory:
  /// nowhere, too little memory is an error.
  std::string temp_directory;
  size_t engine_memory = 0;  ///< bytes, a limit for the engine alone, not for DuckDB; 0: the same; for tests
  size_t join_parts = 0;     ///< number of parts of a join; 0: as memory requires; for tests
  bool fallback_duckdb = false;  ///< let DuckDB answer what is not supported
  uint32_t vector_rows = 0;      ///< 0: the default
  lanes::Tuning tuning = {};     ///< what is fast on this machine
  /// Measured rates of this machine's GPU and cores, for `auto`; none: defaults.
  std::optional<exec::PlacementCosts> placement = {};
  bool profile_lanes = false;  ///< the profile names matchers and counts what their lanes did; costs a little
};

/// The outcome of one statement.
struct StatementResult {
  bool has_rows = false;  ///< false for statements that are not queries
  Table table;
  /// Who answered the query: "lanewise", or "duckdb" (of statements without one, and with fallback).
  std::string engine;
  std::string fallback_reason;  ///< why DuckDB answered a query
  double plan_seconds = 0;
  double run_seconds = 0;
  /// Time that DuckDB took to write the rows of COPY, CREATE TABLE AS or INSERT ... SELECT.
  std::optional<double> write_seconds;
  /// Time that DuckDB took to find the values of PIVOT without a list of them.
  std::optional<double> pivot_seconds;
  std::vector<std::string> computed_by_duckdb;  ///< functions and casts of the query's expressions
  size_t spilled = 0;              ///< bytes in temporary files, at most, for want of memory
  bool hot = false;                ///< all columns were in the column store
  std::vector<std::string> files;  ///< that the query reads
  std::vector<exec::OperatorProfile> profile;
};

/// A connection: one DuckDB instance for parsing, binding and reading, one column store, one memory budget.
/// Not thread-safe, except for cancel().
class Session {
 public:
  /// Throws UserError if an option is invalid or the database cannot be opened.
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;

  /// Whether a statement of `sql` may change the database's file, so that it cannot be opened only for
  /// reading.
  static bool may_change_database(const std::string& sql);
  /// Splits `sql` into its statements; throws UserError with line and caret on a syntax error.
  std::vector<std::string> split(const std::string& sql);
  /// The tables that the statements of `sql` name, whether there are such or not.
  std::vector<std::string> table_names(const std::string& sql);
  /// Runs one statement. The columns that it reads stay hot, unless nothing follows that could use them.
  /// `parameters` is one row with a column for each parameter: "1", "2", ... for ? and $1, else by its name.
  StatementResult run(const std::string& statement, bool keep_columns = true, const Table& parameters = {});
  /// The plan as text, with targets, matchers and estimates; does not run it.
  /// With `kernels` also the sources of GPU kernels.
  std::string explain(const std::string& query, bool kernels = false, const Table& parameters = {});
  /// The table with its nested columns (lists, structs, maps) as JSON (Field::text_of).
  Table as_json(const Table& table);
  /// The table with timestamps with time zones as texts, if the session's zone is not UTC.
  Table in_zone(const Table& table);
  /// Writes a table as Parquet, whole or not at all; throws UserError that names the path.
  void write_parquet(const Table& table, const std::string& path);

  /// Lets statements read an Arrow stream's rows as a table of this name, in any case; it replaces one that
  /// was added by it, while a table of the database goes before. Streams are read to their end and released,
  /// in any case; arrays are released when the table is dropped or the session ends and no result shares
  /// their memory. `keep_columns`: later statements read it, too, so that its columns are worth statistics.
  /// Throws UserError that names the field, see data/arrow.h.
  void add_table(const std::string& name, ArrowArrayStream* stream, bool keep_columns = true);
  /// The same for a device's memory, see data/arrow_device.h. With `device` cuda or auto it is that of the
  /// session's GPU, which reads it where it is; what runs on the CPU reads a copy, made once.
  void add_table(const std::string& name, ArrowDeviceArrayStream* stream);
  /// The same for arrays; takes them and the schema.
  void add_table(const std::string& name, ArrowSchema* schema, std::span<ArrowDeviceArray> arrays);
  /// Throws UserError if none of this name was added.
  void drop_table(const std::string& name);
  /// Lets statements call a function of the program, see ops/host_function.h; it replaces one of that name.
  /// Throws UserError if another function has the name, or a type is nested.
  void add_function(std::shared_ptr<const ops::HostFunction> function);
  /// Throws UserError if none of this name was added.
  void drop_function(const std::string& name);
  /// Hands `table` to `out` as Arrow, lists, structs and maps as such; it may outlive the session. Throws
  /// UserError where a value does not fit.
  void to_arrow(Table table, ArrowArrayStream* out);
  /// Hands a copy of `table` in the GPU's memory to `out`; it may outlive the session. Throws UserError if
  /// the session has no GPU or a value does not fit Arrow's types, and MemoryError.
  void to_device(const Table& table, ArrowDeviceArrayStream* out);

  /// A cancel() from now on also stops the next statement; without this, one before run() has no effect.
  void begin();
  /// Asks a running statement to stop; safe from other threads and from signal handlers.
  void cancel();
  void set_progress(std::function<void(const std::string& what, double share)> progress);
  const MemoryBudget& budget() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise
