#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

/// Bitmaps: one bit per row, row 0 is bit 0 of word 0 (least significant bit first, as in Arrow).
/// Bits past the last row are zero.
namespace lanewise::bits {

constexpr size_t words(size_t rows) { return (rows + 63) / 64; }

constexpr bool test(const uint64_t* bitmap, size_t row) { return bitmap[row / 64] >> (row % 64) & 1; }

constexpr void set(uint64_t* bitmap, size_t row) { bitmap[row / 64] |= uint64_t{1} << (row % 64); }

constexpr void clear(uint64_t* bitmap, size_t row) { bitmap[row / 64] &= ~(uint64_t{1} << (row % 64)); }

/// The lowest `count` bits set, 0 <= count <= 64.
constexpr uint64_t low_mask(size_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

/// Sets the bits of rows [0, rows) and clears the rest of the last word.
constexpr void fill(uint64_t* bitmap, size_t rows) {
  for (size_t word = 0; word < rows / 64; ++word) bitmap[word] = ~uint64_t{0};
  if (rows % 64 != 0) bitmap[rows / 64] = low_mask(rows % 64);
}

constexpr size_t count(const uint64_t* bitmap, size_t rows) {
  size_t ones = 0;
  for (size_t word = 0; word < words(rows); ++word) ones += static_cast<size_t>(std::popcount(bitmap[word]));
  return ones;
}

/// Calls f(row) for each set bit, in ascending order.
template <class F>
constexpr void for_each(const uint64_t* bitmap, size_t rows, F f) {
  for (size_t word = 0; word < words(rows); ++word) {
    for (uint64_t rest = bitmap[word]; rest != 0; rest &= rest - 1) {
      f(word * 64 + static_cast<size_t>(std::countr_zero(rest)));
    }
  }
}

/// Copies `rows` bits that start at bit `first` of `from` to bit 0 of `to`.
inline void copy(const uint64_t* from, size_t first, size_t rows, uint64_t* to) {
  const size_t shift = first % 64;
  const uint64_t* source = from + first / 64;
  const size_t available = words(first % 64 + rows);
  for (size_t word = 0; word < words(rows); ++word) {
    uint64_t value = source[word] >> shift;
    if (shift != 0 && word + 1 < available) value |= source[word + 1] << (64 - shift);
    to[word] = value;
  }
  if (rows % 64 != 0) to[rows / 64] &= low_mask(rows % 64);
}

}  // namespace lanewise::bits
