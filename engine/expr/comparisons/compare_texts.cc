#include "expr/comparisons/compare_texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace lanewise::expr {

namespace {

/// From so many active rows of a word on, all 64 are looked at, without a jump.
constexpr int kDense = 16;

/// The first 8 bytes as a number whose order is that of the bytes; behind a shorter text come zeros.
uint64_t head_of(const uint8_t* text, size_t size) {
  static constexpr auto kMasks = [] {
    std::array<uint64_t, 9> masks{};
    for (size_t i = 1; i < 9; ++i) masks[i] = ~uint64_t{0} << (64 - 8 * i);
    return masks;
  }();
  uint64_t bytes;
  std::memcpy(&bytes, text, 8);
  if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
  return bytes & kMasks[std::min<size_t>(size, 8)];
}

/// Up to 64 neighbouring rows. Sets of them are words of a bitmap.
template <class Offset>
struct Rows {
  const uint8_t* bytes;
  const Offset* offsets;
  size_t count;

  size_t size(size_t i) const { return offsets[i + 1] - offsets[i]; }
  std::string_view text(size_t i) const {
    return {reinterpret_cast<const char*>(bytes) + offsets[i], size(i)};
  }
  uint64_t head(size_t i) const { return head_of(bytes + offsets[i], size(i)); }

  template <class Test>
  uint64_t where(uint64_t asked, Test&& test) const {
    uint64_t found = 0;
    if (std::popcount(asked) >= kDense) {
      for (size_t i = 0; i < count; ++i) found |= uint64_t{test(i)} << i;
      return found & asked;
    }
    for (; asked != 0; asked &= asked - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(asked));
      found |= uint64_t{test(i)} << i;
    }
    return found;
  }
};

struct Wanted {
  std::string_view text;
  uint64_t head;
};

template <class Offset>
uint64_t equal_texts(const Rows<Offset>& rows, const Wanted& wanted, uint64_t asked) {
  uint64_t same = rows.where(asked, [&](size_t i) { return rows.size(i) == wanted.text.size(); });
  same = rows.where(same, [&](size_t i) { return rows.head(i) == wanted.head; });
  for (uint64_t rest = wanted.text.size() > 8 ? same : 0; rest != 0; rest &= rest - 1) {
    if (rows.text(static_cast<size_t>(std::countr_zero(rest))) != wanted.text) same &= ~(rest & -rest);
  }
  return same;
}

/// The rows before `wanted`, or with `or_equal` not behind it.
template <class Offset>
uint64_t lesser_texts(const Rows<Offset>& rows, const Wanted& wanted, uint64_t asked, bool or_equal) {
  uint64_t less = rows.where(asked, [&](size_t i) { return rows.head(i) < wanted.head; });
  uint64_t open = rows.where(asked & ~less, [&](size_t i) { return rows.head(i) == wanted.head; });
  for (; open != 0; open &= open - 1) {
    const int order = rows.text(static_cast<size_t>(std::countr_zero(open))).compare(wanted.text);
    if (order < 0 || (or_equal && order == 0)) less |= open & -open;
  }
  return less;
}

template <class Offset>
uint64_t compare(Comparison op, const Rows<Offset>& rows, const Wanted& wanted, uint64_t asked) {
  switch (op) {
    case Comparison::eq:
      return equal_texts(rows, wanted, asked);
    case Comparison::ne:
      return asked & ~equal_texts(rows, wanted, asked);
    case Comparison::lt:
      return lesser_texts(rows, wanted, asked, false);
    case Comparison::le:
      return lesser_texts(rows, wanted, asked, true);
    case Comparison::gt:
      return asked & ~lesser_texts(rows, wanted, asked, true);
    case Comparison::ge:
      return asked & ~lesser_texts(rows, wanted, asked, false);
  }
  return 0;
}

template <class Offset>
void compare_all(Comparison op, const Vector& text, const Wanted& wanted, const ActiveSet& rows,
                 uint64_t* bitmap) {
  const uint64_t* active = rows.bitmap();
  for (size_t first = 0; first < rows.rows(); first += 64) {
    const Rows<Offset> word{text.bytes, text.as<Offset>() + first, std::min<size_t>(64, rows.rows() - first)};
    bitmap[first / 64] = active[first / 64] ? compare(op, word, wanted, active[first / 64]) : 0;
  }
}

}  // namespace

void compare_texts(Comparison op, const Vector& text, std::string_view wanted, const ActiveSet& rows,
                   uint64_t* bitmap) {
  uint8_t padded[8] = {};
  std::memcpy(padded, wanted.data(), std::min<size_t>(wanted.size(), 8));
  const Wanted constant{wanted, head_of(padded, wanted.size())};
  if (text.wide_offsets) {
    compare_all<uint64_t>(op, text, constant, rows, bitmap);
  } else {
    compare_all<uint32_t>(op, text, constant, rows, bitmap);
  }
}

}  // namespace lanewise::expr
