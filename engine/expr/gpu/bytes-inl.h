#pragma once

#include "data/kernels/values-inl.h"

/// Bytes of strings as numbers. On devices the words of 8 bytes that hold them are read.
namespace lanewise::kernel {

/// `count` bytes (at most 8) as the low ones of a number. On devices it reads the words of 8 bytes that hold
/// them.
LANES_FN u64 bytes_at(const u8* at, u64 count) {
  if (count == 0) return 0;
  u64 bits = 0;
#if defined(__CUDACC__)
  const u64 address = reinterpret_cast<u64>(at);
  const u32 skip = u32(address & 7) * 8;
  const u64* const words = reinterpret_cast<const u64*>(address & ~u64(7));
  bits = words[0] >> skip;
  if (skip + count * 8 > 64) bits |= words[1] << (64 - skip);
#else
  if (count == 8) {
    __builtin_memcpy(&bits, at, 8);
  } else {
    for (u64 i = 0; i < count; i++) bits |= u64(at[i]) << 8 * i;
  }
#endif
  return count == 8 ? bits : bits & ((u64(1) << 8 * count) - 1);
}

LANES_FN bool equal_bytes(const u8* a, const u8* b, u64 size) {
  LANEWISE_ROLLED
  for (u64 i = 0; i < size; i += 8) {
    const u64 count = size - i < 8 ? size - i : 8;
    if (bytes_at(a + i, count) != bytes_at(b + i, count)) return false;
  }
  return true;
}

/// Eight bytes of a text from `depth` on, the first one highest, zeros after its end;
/// with `kDown` the complement: numbers that sort as the strings do, or the other way round.
template <bool kDown>
LANES_FN u64 text_word(Text text, u64 depth) {
  const u64 left = depth < text.size ? text.size - depth : 0;
  const u64 bytes = bytes_at(text.at + depth, left < 8 ? left : 8);
#if defined(__CUDACC__)
  const u64 word = u64(__byte_perm(u32(bytes), 0, 0x0123)) << 32 | __byte_perm(u32(bytes >> 32), 0, 0x0123);
#else
  const u64 word = __builtin_bswap64(bytes);
#endif
  return kDown ? ~word : word;
}

/// A number's lowest bits, all of them from 32 on.
LANES_FN u32 low_bits(u32 count) {
#if defined(__CUDA_ARCH__)
  u32 mask;
  asm("bmsk.clamp.b32 %0, 0, %1;" : "=r"(mask) : "r"(count));
  return mask;
#else
  return count < 32 ? (1u << count) - 1 : ~0u;
#endif
}

/// The first bytes of a text of `size` bytes as words, zeros after its end. All are loaded before the
/// first one is there, and no lane goes another way than its neighbours, however long their strings. In
/// halves: a shift over two of them is one instruction.
template <u32 kWords>
class TextWords {
 public:
  static constexpr u32 kSize = kWords * 8;

  LANES_FN TextWords(const u8* at, u64 size) : count_(size < kSize ? u32(size) : kSize) {
#if defined(__CUDACC__)
    const u64 address = reinterpret_cast<u64>(at);
    const u32 skip = u32(address & 7), end = skip + count_;
    const u64* const from = reinterpret_cast<const u64*>(address & ~u64(7));
    u32 held[2 * kWords + 2];
#pragma unroll
    for (u32 i = 0; i <= kWords; i++) {
      const u64 word = i * 8 < end ? from[i] : 0;
      held[2 * i] = u32(word);
      held[2 * i + 1] = u32(word >> 32);
    }
    const bool odd = skip & 4;
#pragma unroll
    for (u32 i = 0; i <= 2 * kWords; i++) held[i] = odd ? held[i + 1] : held[i];
#pragma unroll
    for (u32 i = 0; i < 2 * kWords; i++) halves_[i] = __funnelshift_r(held[i], held[i + 1], skip * 8);
#else
    for (u32 i = 0; i < 2 * kWords; i++) {
      const u32 left = count_ > i * 4 ? count_ - i * 4 : 0;
      halves_[i] = u32(bytes_at(at + i * 4, left < 4 ? left : 4));
    }
#endif
  }
  LANES_FN u64 operator[](u32 i) const { return u64(half(2 * i + 1)) << 32 | half(2 * i); }
  /// For two strings of one size.
  LANES_FN bool operator==(const TextWords& other) const {
    u32 differ = 0;
    for (u32 i = 0; i < 2 * kWords; i++) differ |= (halves_[i] ^ other.halves_[i]) & mask(i);
    return differ == 0;
  }

 private:
  LANES_FN u32 half(u32 i) const { return halves_[i] & mask(i); }
  /// The bytes of a half that are the text's.
  LANES_FN u32 mask(u32 i) const {
    const i32 left = i32(count_ - i * 4) * 8;
    return low_bits(left > 0 ? left : 0);
  }

  u32 count_;
  u32 halves_[2 * kWords];  // after the end anything
};

}  // namespace lanewise::kernel
