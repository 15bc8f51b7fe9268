#pragma once

#include <cstdint>
#include <memory>

#include "base/memory.h"
#include "data/column.h"

namespace duckdb {
struct LogicalType;
struct UnifiedVectorFormat;
class Vector;
}  // namespace duckdb

namespace lanewise::sql {

/// Builds columns from DuckDB's vectors of up to 2,048 rows. For one thread at a time. It is reused for one
/// column after another, and reserves as much memory as for the last one.
///
/// A string column stays a dictionary column as long as its vectors share one dictionary (a row group of
/// Parquet, a segment of a DuckDB table, an ENUM). Vectors that DuckDB wrote out because they cross a page
/// are looked up in it.
class ColumnGather {
 public:
  /// `expected_rows`: the approximate number of rows of a column. `type` corresponds to `from`, see types.h.
  ColumnGather(const duckdb::LogicalType& from, Type type, int64_t expected_rows, MemoryBudget* budget);
  ~ColumnGather();
  ColumnGather(ColumnGather&&) noexcept;

  void append(duckdb::Vector& vector, int64_t rows);
  int64_t rows() const { return rows_; }
  size_t text_bytes() const { return bytes_.size(); }
  bool is_dictionary() const { return dictionary_ != nullptr; }
  /// The column of all rows since the last call.
  std::shared_ptr<Column> finish();

 private:
  struct Dictionary;
  using Format = duckdb::UnifiedVectorFormat;

  bool append_codes(duckdb::Vector& vector, int64_t rows);
  bool append_known(const Format& format, int64_t rows);
  void append_enum(const Format& format, int64_t rows);
  template <class CodeOf>
  void push_codes(int64_t rows, CodeOf code_of);
  void append_values(const Format& format, int64_t rows);
  void append_text(const Format& format, int64_t rows);
  void append_nulls(const Format& format, int64_t rows);
  void write_out_dictionary();
  template <class Write>
  size_t append_offsets(int64_t rows, Write write);
  void extend_validity(int64_t rows);
  void set_null(int64_t row, int64_t rows);

  std::unique_ptr<const duckdb::LogicalType> from_;
  Type type_;
  MemoryBudget* budget_;
  int64_t expected_rows_;
  size_t expected_bytes_ = 0;

  int64_t rows_ = 0;
  int64_t nulls_ = 0;
  BufferBuilder<uint64_t> validity_;  // empty until the first NULL
  BufferBuilder<uint8_t> values_;     // physical values
  BufferBuilder<uint32_t> codes_;     // of dictionary_
  BufferBuilder<uint8_t> bytes_;      // of plain strings
  BufferBuilder<uint32_t> offsets_;
  BufferBuilder<uint64_t> wide_offsets_;  // replaces offsets_ once 32 bits do not suffice
  bool wide_ = false;
  std::shared_ptr<Dictionary> dictionary_;  // of all rows so far; null: plain
  std::shared_ptr<Dictionary> last_;        // most recent dictionary, perhaps the next column's too
};

}  // namespace lanewise::sql
