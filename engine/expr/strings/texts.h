#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "active/active_set.h"
#include "base/error.h"
#include "expr/context.h"
#include "expr/vectors/kernel_function.h"
#include "expr/vectors/vectors.h"

/// Readers and writers of strings for the string functions.
namespace lanewise::expr {

/// The strings of an argument, whatever its form, by row. Rows that are NULL or not active are unspecified.
class Texts {
 public:
  Texts(const Vector& vector, const ActiveSet& rows);
  std::string_view operator[](uint32_t row) const { return views_[row * step_]; }
  bool constant() const { return step_ == 0; }

 private:
  const std::string_view* views_;
  uint32_t step_ = 1;
};

/// The values of an INTEGER or BIGINT argument by row.
class Integers {
 public:
  Integers(const Vector& vector, const ActiveSet& rows);
  int64_t operator[](uint32_t row) const {
    const uint32_t at = constant_ ? 0 : row;
    return wide_ ? static_cast<const int64_t*>(values_)[at] : static_cast<const int32_t*>(values_)[at];
  }

 private:
  const void* values_;
  bool wide_;
  bool constant_;
};

/// The longest string that a function may return, as in DuckDB.
inline constexpr size_t kLongestText = 0xFFFFFFFF;

/// Throws UserError if `function` would return a string longer than kLongestText.
void check_length(std::string_view function, uint64_t bytes);

/// Memory for the strings of a result, taken from the chunk's arena in larger pieces. Checks for
/// cancellation.
class TextWriter {
 public:
  TextWriter(std::string_view function, EvalContext& context) : function_(function), context_(context) {}

  /// Reserves `bytes` bytes, or throws an error that names the function.
  char* reserve(uint64_t bytes) {
    if (bytes > room_) grow(bytes);
    return next_;
  }
  /// The first `bytes` of the last reservation, as a string.
  std::string_view take(size_t bytes) {
    const std::string_view text(next_, bytes);
    next_ += bytes;
    room_ -= bytes;
    return text;
  }

 private:
  void grow(uint64_t bytes);

  std::string_view function_;
  EvalContext& context_;
  char* next_ = nullptr;
  size_t room_ = 0;
  size_t piece_ = 512;  // next piece's minimum size; doubles each time, as some vectors have few rows
};

/// The same as memory for what functions of kernels make.
class WriterRoom {
 public:
  explicit WriterRoom(TextWriter& writer) : writer_(writer) {}
  uint8_t* reserve(uint64_t bytes) { return reinterpret_cast<uint8_t*>(writer_.reserve(bytes)); }
  kernel::Text made(uint64_t bytes) { return kernel_text(writer_.take(bytes)); }

 private:
  TextWriter& writer_;
};

/// A vector of value(row) for the active rows. Other rows hold zeros, which are empty strings, safe to
/// read.
template <class F>
Vector map_rows(Type type, const ActiveSet& rows, F value) {
  using T = decltype(value(uint32_t{}));
  T* values;
  const Vector result = new_vector<T>(type, rows.rows(), rows.arena(), values);
  if (!rows.all()) std::memset(static_cast<void*>(values), 0, rows.rows() * sizeof(T));
  rows.for_each([&](uint32_t row) { values[row] = value(row); });
  return result;
}

}  // namespace lanewise::expr
