#pragma once

#include <cstddef>
#include <string_view>

#include "lanes/lane.h"

namespace lanewise::lanes {

/// The strings of a column in place: row i has the bytes [offset(i), end(i)). Nothing is copied and nothing
/// is owned. One of the two offset arrays is null, the other has count + 1 entries; the first need not be 0
/// (a slice of a column). 64 bytes after the last row's end must be readable, since lanes load whole
/// registers.
struct StringRows {
  const u8* bytes = nullptr;
  const u32* offsets32 = nullptr;
  const u64* offsets64 = nullptr;
  u64 count = 0;
  u32 gap = 0;  ///< bytes after each row that belong to none: 1 for lines, which are separated by \n

  StringRows() = default;
  StringRows(const u8* b, const u32* offsets, u64 n, u32 g = 0)
      : bytes(b), offsets32(offsets), count(n), gap(g) {}
  StringRows(const u8* b, const u64* offsets, u64 n, u32 g = 0)
      : bytes(b), offsets64(offsets), count(n), gap(g) {}

  LANES_FN u64 offset(u64 row) const { return offsets32 ? offsets32[row] : offsets64[row]; }
  LANES_FN u64 end(u64 row) const { return offset(row + 1) - gap; }
  std::string_view row(u64 i) const {
    return {reinterpret_cast<const char*>(bytes) + offset(i), static_cast<size_t>(end(i) - offset(i))};
  }

  /// Total bytes of all rows, including gaps.
  u64 byte_count() const { return count == 0 ? 0 : offset(count) - offset(0); }
  /// The first `rows` rows.
  StringRows first(u64 rows) const {
    StringRows some = *this;
    some.count = rows;
    return some;
  }
};

}  // namespace lanewise::lanes
