#pragma once

#include "primitives/groups/hash.h"
#include "primitives/kernels.h"
#include "primitives/kernels/blocks-inl.h"

namespace lanewise::kernels {

template <class Isa>
void bit_and(const uint64_t* left, const uint64_t* right, size_t rows, uint64_t* out) {
  for (size_t w = 0; w < (rows + 63) / 64; w++) out[w] = left[w] & right[w];
}
template <class Isa>
void bit_or(const uint64_t* left, const uint64_t* right, size_t rows, uint64_t* out) {
  for (size_t w = 0; w < (rows + 63) / 64; w++) out[w] = left[w] | right[w];
}
template <class Isa>
void bit_and_not(const uint64_t* left, const uint64_t* right, size_t rows, uint64_t* out) {
  for (size_t w = 0; w < (rows + 63) / 64; w++) out[w] = left[w] & ~right[w];
}
template <class Isa>
size_t count(const uint64_t* bitmap, size_t rows) {
  size_t total = 0;
  for (size_t w = 0; w < (rows + 63) / 64; w++) total += lanes::count_bits(bitmap[w]);
  return total;
}

/// Isa::list_word may write past the numbers of one word's bits; the last words are written one by one.
template <class Isa>
size_t list(const uint64_t* bitmap, size_t rows, uint32_t first, uint32_t* out) {
  const size_t words = (rows + 63) / 64;
  size_t sure = words, behind = 0;  // after `sure` words, at least 64 numbers follow
  while (sure > 0 && behind < 64) behind += lanes::count_bits(bitmap[--sure]);
  uint32_t* to = out;
  for (size_t w = 0; w < words; w++, first += 64) {
    if (w < sure) {
      to = Isa::list_word(bitmap[w], first, to);
      continue;
    }
    for (u64 bits = bitmap[w]; bits; bits &= bits - 1) *to++ = first + u32(__builtin_ctzll(bits));
  }
  return size_t(to - out);
}

template <class Isa>
void hash(const uint64_t* words, size_t rows, uint64_t* out) {
  constexpr size_t lanes = Isa::kBytes / 8;
  using V = Vector<uint64_t, lanes>;
  const auto mix = [](V v) {
    v *= hash::kSalt[0];
    v ^= v >> 32;
    return v * hash::kSalt[1];
  };
  size_t row = 0;
  for (; row + lanes <= rows; row += lanes) store(out + row, mix(load<V>(words + row)));
  V last{};
  __builtin_memcpy(&last, words + row, (rows - row) * 8);
  last = mix(last);
  __builtin_memcpy(out + row, &last, (rows - row) * 8);
}

}  // namespace lanewise::kernels
