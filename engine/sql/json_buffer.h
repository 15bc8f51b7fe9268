#pragma once

#include "sql/duckdb_headers.h"
#include "sql/scan.h"

namespace lanewise::sql {

/// How many threads may read a source of JSON, and what each of them takes: a buffer of lines, or else a whole
/// file. One thread reads all where DuckDB may choose either.
struct JsonThreads {
  size_t number = 1;
  bool take_buffers = false;

  /// The memory must have room for each thread's buffers, and for the rows of one, of `row_bytes` and strings.
  static JsonThreads of(const ScannedFunction& scanned, const duckdb::GlobalTableFunctionState& global,
                        size_t row_bytes);
};

/// A buffer of lines, which a thread claims when its local state is made (init_local): the part of a file of
/// newline-delimited JSON that the thread reads.
///
/// Whoever claims a buffer must read all of it. DuckDB's reader waits in a loop for the buffer in front of
/// its own, of which it needs the last line's beginning; and after a malformed line it reads on until all
/// earlier buffers were read, since only then it can number that line. Hence a scan's own function, which
/// claims the next buffer at the end of one, cannot be used by several threads that may stop.
class JsonBuffer {
 public:
  JsonBuffer(const ScannedFunction& scanned, duckdb::GlobalTableFunctionState& global,
             duckdb::LocalTableFunctionState& local);
  JsonBuffer(const JsonBuffer&) = delete;
  JsonBuffer& operator=(const JsonBuffer&) = delete;
  /// Reads the rest of the buffer, unless reading has failed.
  ~JsonBuffer();

  /// The next rows; none at the end. An error ends the waiting of the scan's other threads.
  void read(duckdb::DataChunk& rows);

 private:
  void read_rows();

  const ScannedFunction& scanned_;
  duckdb::MultiFileBindData& bound_;
  duckdb::MultiFileGlobalState& global_;
  duckdb::MultiFileLocalState& local_;
  bool ended_ = false;  // or failed
};

}  // namespace lanewise::sql
