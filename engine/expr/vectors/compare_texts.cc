#include "expr/vectors/compare_texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace lanewise::expr {

namespace {

/// If at least this many rows of a word are active, all 64 are compared, without a branch.
constexpr int kDenseTexts = 16;

/// Prefetch distance: a core's own prefetching stops at the end of a page.
constexpr size_t kFetchAhead = 2048;

/// Up to 8 bytes as a number with the order of the bytes; a shorter text is padded with zeros.
uint64_t word_at(const uint8_t* text, size_t size) {
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

/// Up to 64 consecutive rows. Sets of them are words of a bitmap.
template <class Offset>
struct Rows {
  const uint8_t* bytes;
  const Offset* offsets;
  size_t count;

  size_t size(size_t i) const { return offsets[i + 1] - offsets[i]; }
  /// Bytes 8 k to 8 k + 7 of row i.
  uint64_t word(size_t i, size_t k) const {
    const size_t begin = std::min(8 * k, size(i));
    return word_at(bytes + offsets[i] + begin, size(i) - begin);
  }
  void fetch_ahead() const {
    for (size_t i = 0; i < count; ++i) __builtin_prefetch(bytes + offsets[i] + kFetchAhead);
  }

  template <class Test>
  uint64_t where(uint64_t asked, Test&& test) const {
    uint64_t found = 0;
    if (std::popcount(asked) >= kDenseTexts) {
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

  size_t size() const { return text.size(); }
  size_t words() const { return std::max<size_t>(1, (size() + 7) / 8); }
  uint64_t word(size_t k) const {
    uint8_t padded[8] = {};
    text.substr(8 * k).copy(reinterpret_cast<char*>(padded), 8);
    return word_at(padded, 8);
  }
};

template <class Offset>
uint64_t equal_texts(const Rows<Offset>& rows, const Wanted& wanted, uint64_t asked) {
  uint64_t same = rows.where(asked, [&](size_t i) { return rows.size(i) == wanted.size(); });
  for (size_t k = 0; k < wanted.words() && same != 0; ++k) {
    same = rows.where(same, [&, word = wanted.word(k)](size_t i) { return rows.word(i, k) == word; });
  }
  return same;
}

/// The rows before `wanted`; with `or_equal`, those not after it.
template <class Offset>
uint64_t lesser_texts(const Rows<Offset>& rows, const Wanted& wanted, uint64_t asked, bool or_equal) {
  rows.fetch_ahead();
  uint64_t less = 0, open = asked;
  for (size_t k = 0; k < wanted.words() && open != 0; ++k) {
    // Rows that are equal so far and shorter than this are decided: they end before `wanted` does.
    const bool last = k + 1 == wanted.words();
    const size_t decided = last ? wanted.size() + or_equal : 8 * k + 9;
    const uint64_t word = wanted.word(k);
    uint64_t equal = 0;
    less |= rows.where(open, [&](size_t i) -> bool {
      const uint64_t found = rows.word(i, k);
      const bool same = found == word, ends = rows.size(i) < decided;
      equal |= static_cast<uint64_t>(same & !ends) << i;
      return (found < word) | (same & ends);
    });
    open &= equal;
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
void compare_all_texts(Comparison op, const Vector& text, const Wanted& wanted, const ActiveSet& rows,
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
  const Wanted constant{wanted};
  if (text.wide_offsets) {
    compare_all_texts<uint64_t>(op, text, constant, rows, bitmap);
  } else {
    compare_all_texts<uint32_t>(op, text, constant, rows, bitmap);
  }
}

}  // namespace lanewise::expr
