#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "active/active_set.h"
#include "base/memory.h"
#include "data/vector.h"

namespace lanewise::ops {

/// Appends the active rows of vectors to a growing column: compact, from chunks to columns. Strings become
/// plain text with 64-bit offsets once their bytes need them. Charged to `budget` under the name `what`, a
/// string literal.
class Gather {
 public:
  Gather(Type type, MemoryBudget* budget, std::string_view what);

  void append(const Vector& vector, const ActiveSet& rows);
  int64_t rows() const { return rows_; }
  /// Size of values and strings.
  size_t bytes() const;
  /// Returns the column; the object is empty again.
  ColumnPtr finish();

 private:
  void append_validity(const Vector& vector, const ActiveSet& rows);
  void append_values(const Vector& vector, const ActiveSet& rows);
  void append_texts(const Vector& vector, const ActiveSet& rows);
  void append_flat_text(const Vector& vector, const ActiveSet& rows);
  void append_each_text(const Vector& vector, const ActiveSet& rows);
  /// Reserves `more` bytes of text; from 4 GiB on all offsets are 64-bit.
  void expect_text(size_t more);
  template <class F>
  void with_offsets(F f) {
    wide_ ? f(wide_offsets_) : f(offsets_);
  }

  Type type_;
  MemoryBudget* budget_;
  std::string_view what_;
  size_t width_;
  int64_t rows_ = 0;
  int64_t nulls_ = 0;
  bool wide_ = false;
  size_t last_rows_ = 0;  // rows of the previous column; the next one has about as many
  size_t last_bytes_ = 0;
  BufferBuilder<uint64_t> validity_;
  BufferBuilder<uint8_t> values_;
  BufferBuilder<uint32_t> offsets_;
  BufferBuilder<uint64_t> wide_offsets_;
};

}  // namespace lanewise::ops
