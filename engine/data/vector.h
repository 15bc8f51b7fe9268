#pragma once

#include <string_view>

#include "base/arena.h"
#include "base/bits.h"
#include "data/column.h"

namespace lanewise {

/// A view of at most a few thousand values of one type: what expressions read and write. It owns nothing: its
/// memory belongs to a column or to the arena of the chunk. Row i of the vector is row i of the chunk, active
/// or not; values of inactive or NULL rows are unspecified (but readable).
struct Vector {
  enum class Form : uint8_t {
    kValues,      ///< physical values; strings: std::string_view
    kText,        ///< strings: offsets into flat bytes
    kDictionary,  ///< uint32_t codes into `dictionary`
  };

  Type type;
  Form form = Form::kValues;
  bool constant = false;               ///< one value, at index 0, for all rows
  const void* values = nullptr;        ///< values, string_views, offsets (kText) or codes (kDictionary)
  bool wide_offsets = false;           ///< kText: offsets are uint64_t, else uint32_t; rows + 1 of them
  const uint8_t* bytes = nullptr;      ///< kText: base of the offsets
  const Column* dictionary = nullptr;  ///< kDictionary
  const uint64_t* validity = nullptr;  ///< from bit 0 on; null: no row is NULL. A constant has one bit.

  template <class T>
  const T* as() const {
    return static_cast<const T*>(values);
  }
  bool is_null(uint32_t row) const {
    return validity != nullptr && !bits::test(validity, constant ? 0 : row);
  }
  uint64_t offset(uint32_t row) const { return wide_offsets ? as<uint64_t>()[row] : as<uint32_t>()[row]; }
  /// A string of any form; the row is not NULL.
  std::string_view text(uint32_t row) const {
    if (constant) row = 0;
    if (form == Form::kValues) return as<std::string_view>()[row];
    if (form == Form::kDictionary) return dictionary->text(as<uint32_t>()[row]);
    return {reinterpret_cast<const char*>(bytes) + offset(row), offset(row + 1) - offset(row)};
  }
};

/// Rows [first, first + rows) of a column. A validity that does not start on a word is copied into the arena.
Vector slice(const Column& column, int64_t first, uint32_t rows, Arena& arena);

/// `value` for all rows.
Vector constant(const Value& value, Arena& arena);

/// The value of one row: for tests, output and reference evaluation.
Value value_at(const Vector& vector, uint32_t row);

}  // namespace lanewise
