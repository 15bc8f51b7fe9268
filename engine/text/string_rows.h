#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanewise::text {

/// The strings of one column in place: row i is bytes[offset(i) .. offset(i + 1) - gap). Nothing is copied
/// and nothing is owned. Offsets are 32-bit or 64-bit, n + 1 of them; the first need not be 0 (a slice of a
/// column). The gap is 0, except for lines, which are separated by their line ends. 64 bytes after the last
/// row's end must be readable, because lanes load whole registers.
class StringRows {
 public:
  StringRows() = default;
  StringRows(const uint8_t* bytes, const uint32_t* offsets, size_t rows, uint32_t gap = 0)
      : bytes_(bytes), narrow_(offsets), rows_(rows), gap_(gap) {}
  StringRows(const uint8_t* bytes, const uint64_t* offsets, size_t rows, uint32_t gap = 0)
      : bytes_(bytes), wide_(offsets), rows_(rows), gap_(gap) {}

  size_t size() const { return rows_; }
  const uint8_t* bytes() const { return bytes_; }
  bool has_wide_offsets() const { return wide_ != nullptr; }
  const uint32_t* narrow_offsets() const { return narrow_; }
  const uint64_t* wide_offsets() const { return wide_; }
  uint32_t gap() const { return gap_; }

  /// The first `count` rows.
  StringRows first(size_t count) const {
    StringRows some = *this;
    some.rows_ = count;
    return some;
  }

  uint64_t offset(size_t i) const { return wide_ ? wide_[i] : narrow_[i]; }
  /// Total bytes of all rows, including gaps.
  uint64_t byte_count() const { return rows_ == 0 ? 0 : offset(rows_) - offset(0); }
  std::string_view row(size_t i) const {
    return {reinterpret_cast<const char*>(bytes_) + offset(i),
            static_cast<size_t>(offset(i + 1) - gap_ - offset(i))};
  }

 private:
  const uint8_t* bytes_ = nullptr;
  const uint32_t* narrow_ = nullptr;
  const uint64_t* wide_ = nullptr;
  size_t rows_ = 0;
  uint32_t gap_ = 0;
};

}  // namespace lanewise::text
