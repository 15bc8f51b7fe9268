#pragma once

#include "sql/duckdb/duckdb_headers.h"
#include "sql/scan/scan.h"

namespace lanewise::sql {

/// How many threads may read a JSON source, and whether each of them takes buffers of lines or whole
/// files. One thread reads everything if DuckDB may choose either.
struct JsonThreads {
  size_t number = 1;
  bool take_buffers = false;

  /// The memory must suffice for each thread's buffers, and for one buffer's rows of `row_bytes` and
  /// strings.
  static JsonThreads of(const ScannedFunction& scanned, const duckdb::GlobalTableFunctionState& global,
                        size_t row_bytes);
};

/// A buffer of lines: a part of a file of newline-delimited JSON. A thread claims it when its local state is
/// made (init_local).
///
/// A thread must read all of a buffer that it has claimed. DuckDB's reader waits in a loop for the previous
/// buffer, which has the start of its first line. After a malformed line it also waits until all earlier
/// buffers have been read, because only then is the line's number known. DuckDB's scan function claims
/// the next buffer at the end of one, so several threads that may stop cannot use it.
class JsonBuffer {
 public:
  JsonBuffer(const ScannedFunction& scanned, duckdb::GlobalTableFunctionState& global,
             duckdb::LocalTableFunctionState& local);
  JsonBuffer(const JsonBuffer&) = delete;
  JsonBuffer& operator=(const JsonBuffer&) = delete;
  /// Reads the rest of the buffer, unless reading has failed.
  ~JsonBuffer();

  /// The next rows; none at the end. An error wakes the scan's other threads.
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
