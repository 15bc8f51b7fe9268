#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "base/memory.h"
#include "data/type.h"
#include "data/value.h"

namespace lanewise {

/// An immutable array of values of one type. Plain columns hold physical values; strings hold rows + 1
/// offsets into bytes; a dictionary column holds 32-bit codes into another column. Wide loads may read
/// kPadding bytes after the end of a buffer.
struct Column {
  Type type;
  int64_t rows = 0;
  Buffer validity;  ///< bitmap of rows that are not NULL, see base/bits.h; absent: no row is NULL
  int64_t nulls = 0;
  Buffer values;   ///< physical values; strings: the bytes; dictionaries: uint32_t codes
  Buffer offsets;  ///< strings: uint32_t, or uint64_t if wide_offsets. The first offset need not be 0.
  bool wide_offsets = false;
  std::shared_ptr<const Column> dictionary;  ///< entries, plain and without NULLs

  bool is_null(int64_t row) const { return validity && !bits::test(validity.as<uint64_t>(), row); }
  uint64_t offset(int64_t row) const {
    return wide_offsets ? offsets.as<uint64_t>()[row] : offsets.as<uint32_t>()[row];
  }
  /// A string of a plain or dictionary column.
  std::string_view text(int64_t row) const {
    if (dictionary) return dictionary->text(values.as<uint32_t>()[row]);
    return {values.as<char>() + offset(row), offset(row + 1) - offset(row)};
  }
  /// Slow, for tests, literals and output.
  Value value(int64_t row) const;
  /// Total bytes of all buffers.
  size_t bytes() const;
  /// Whether one of the buffers is in a temporary file.
  bool spilled() const;
  /// Moves large buffers to the budget's temporary file, see Buffer::spill().
  void spill(MemoryBudget* budget, std::string_view what) const;
};

using ColumnPtr = std::shared_ptr<const Column>;

/// Columns of equal length.
struct Batch {
  int64_t rows = 0;
  std::vector<ColumnPtr> columns;
  size_t bytes() const;
  void spill(MemoryBudget* budget, std::string_view what) const;
};

struct SqlType;  // sql/values/types.h

struct Field {
  std::string name;
  Type type;
  /// The SQL type whose values are given as strings, such as "INTEGER[]" or "JSON"; otherwise empty.
  std::string text_of = {};
  /// The same type. SQL cannot write all of them: the fields of row(...) do not have names. Null: by its
  /// text.
  std::shared_ptr<const SqlType> sql_type = {};
};
using Schema = std::vector<Field>;

/// Batches with one schema. Rows are in the order of the batches.
struct Table {
  Schema schema;
  std::vector<Batch> batches;
  int64_t rows() const;
  /// Slow: the value at a global row number.
  Value value(int64_t row, size_t column) const;
};

/// Builds one column value by value. Strings switch to 64-bit offsets when their bytes need it.
class ColumnBuilder {
 public:
  ColumnBuilder(Type type, MemoryBudget* budget = nullptr, std::string_view what = "column");
  void append(const Value& value);  ///< value.type() has the physical type of the column, or is NULL
  void append_null();
  void append_text(std::string_view text);
  template <class T>
  void append_physical(T value) {  ///< T is the physical type
    values_.append(reinterpret_cast<const uint8_t*>(&value), sizeof(T));
    mark(true);
  }
  int64_t rows() const { return rows_; }
  std::shared_ptr<Column> finish();

 private:
  void mark(bool valid);
  void push_offset();

  Type type_;
  MemoryBudget* budget_;
  std::string_view what_;
  int64_t rows_ = 0;
  int64_t nulls_ = 0;
  BufferBuilder<uint64_t> validity_;
  BufferBuilder<uint8_t> values_;
  BufferBuilder<uint32_t> offsets_;
  BufferBuilder<uint64_t> wide_offsets_;
};

/// A column of `values`, all of `type` or NULL: for tests and literals.
ColumnPtr make_column(Type type, const std::vector<Value>& values);

}  // namespace lanewise
