#pragma once

// Include after `#pragma GCC target` for AVX-512 F, BW, VL, DQ, VBMI, VBMI2 only.

#include <immintrin.h>

#include "lanes/lane.h"
#include "lanes/tables/kind_table.h"
#include "lanes/tables/packed_table.h"

namespace lanewise::lanes::avx512 {

/// 64 bytes. The operations are defined in register_emulated-inl.h.
struct Register {
  static constexpr u32 lanes = 64;
  using Mask = u64;
  __m512i v;

  static LANES_FN Register load(const u8* from) { return {_mm512_loadu_si512(from)}; }
  LANES_FN void store(u8* to) const { _mm512_storeu_si512(to, v); }
  static LANES_FN Register splat(u8 value) { return {_mm512_set1_epi8(char(value))}; }
  static LANES_FN Register pieces(const u8* bytes, const u32* at) {
    __m512i v = _mm512_castsi128_si512(piece(bytes, at[0]));
    v = _mm512_inserti32x4(v, piece(bytes, at[16]), 1);
    v = _mm512_inserti32x4(v, piece(bytes, at[32]), 2);
    return {_mm512_inserti32x4(v, piece(bytes, at[48]), 3)};
  }

  static LANES_FN Register zip_low(Register a, Register b) { return {_mm512_unpacklo_epi8(a.v, b.v)}; }
  static LANES_FN Register zip_high(Register a, Register b) { return {_mm512_unpackhi_epi8(a.v, b.v)}; }
  static LANES_FN Register add(Register a, Register b) { return {_mm512_add_epi8(a.v, b.v)}; }
  static LANES_FN Register subtract(Register a, Register b) { return {_mm512_sub_epi8(a.v, b.v)}; }
  static LANES_FN Register both(Register a, Register b) { return {_mm512_and_si512(a.v, b.v)}; }
  static LANES_FN Register larger(Register a, Register b) { return {_mm512_max_epu8(a.v, b.v)}; }
  static LANES_FN Mask equal(Register a, Register b) { return _mm512_cmpeq_epi8_mask(a.v, b.v); }
  static LANES_FN Mask greater(Register a, Register b) { return _mm512_cmpgt_epu8_mask(a.v, b.v); }
  static LANES_FN Register select(Mask m, Register a, Register b) {
    return {_mm512_mask_mov_epi8(b.v, m, a.v)};
  }
  static LANES_FN Register step_if_more(Register left, u8 j, Register next, Register state) {
    return select(greater(left, splat(j)), next, state);
  }

  static LANES_FN Register remaining(const u32* at, const u32* end) {
    __m512i v = _mm512_castsi128_si512(narrow(at, end));
    v = _mm512_inserti32x4(v, narrow(at + 16, end + 16), 1);
    v = _mm512_inserti32x4(v, narrow(at + 32, end + 32), 2);
    return {_mm512_inserti32x4(v, narrow(at + 48, end + 48), 3)};
  }
  static LANES_FN void advance(u32* at, const u32* end) {
    LANES_UNROLL for (u32 i = 0; i < 64; i += 16) {
      const __m512i from = _mm512_load_si512(at + i);
      const __m512i left = _mm512_sub_epi32(_mm512_load_si512(end + i), from);
      _mm512_store_si512(at + i, _mm512_add_epi32(from, _mm512_min_epu32(left, _mm512_set1_epi32(16))));
    }
  }

  static LANES_FN void expand(u32* to, Mask m, const u32* from, u32 base) {
    const __m512i bases = _mm512_set1_epi32(int(base));
    LANES_UNROLL for (u32 i = 0; i < 64; i += 16) {
      const __mmask16 part = __mmask16(m >> i);
      const __m512i v = _mm512_sub_epi32(_mm512_maskz_expandloadu_epi32(part, from), bases);
      _mm512_store_si512(to + i, _mm512_mask_mov_epi32(_mm512_load_si512(to + i), part, v));
      from += __builtin_popcount(part);
    }
  }
  static LANES_FN void expand(u32* to, Mask m, const u64* from, u64 base) {
    const __m512i bases = _mm512_set1_epi64((long long)base);
    LANES_UNROLL for (u32 i = 0; i < 64; i += 8) {
      const __mmask8 part = __mmask8(m >> i);
      const __m512i v = _mm512_sub_epi64(_mm512_maskz_expandloadu_epi64(part, from), bases);
      const __m256i narrow = _mm512_cvtepi64_epi32(v);
      __m256i* at = reinterpret_cast<__m256i*>(to + i);
      _mm256_store_si256(at, _mm256_mask_mov_epi32(_mm256_load_si256(at), part, narrow));
      from += __builtin_popcount(part);
    }
  }
  static LANES_FN void expand_numbers(u32* to, Mask m, u32 first) {
    __m512i numbers =
        _mm512_add_epi32(_mm512_set1_epi32(int(first)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    LANES_UNROLL for (u32 i = 0; i < 64; i += 16) {
      const __mmask16 part = __mmask16(m >> i);
      _mm512_store_si512(to + i, _mm512_mask_expand_epi32(_mm512_load_si512(to + i), part, numbers));
      numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(__builtin_popcount(part)));
    }
  }

 private:
  static LANES_FN __m128i piece(const u8* bytes, u32 at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
  }
  static LANES_FN __m128i narrow(const u32* at, const u32* end) {
    return _mm512_cvtusepi32_epi8(_mm512_sub_epi32(_mm512_load_si512(end), _mm512_load_si512(at)));
  }
};

/// table[index] for each byte of `index`, all below kSize.
template <u32 kSize>
struct Lookup {
  __m512i t[kSize / 64];

  explicit LANES_FN Lookup(const u8* table) {
    LANES_UNROLL for (u32 i = 0; i < kSize / 64; i++) t[i] = _mm512_loadu_si512(table + 64 * i);
  }
  LANES_FN Register operator()(Register index) const {
    if constexpr (kSize == 64) return {_mm512_permutexvar_epi8(index.v, t[0])};
    if constexpr (kSize >= 128) {
      const __m512i low = _mm512_permutex2var_epi8(t[0], index.v, t[1]);
      if constexpr (kSize == 128) return {low};
      if constexpr (kSize == 256) {
        const __m512i high = _mm512_permutex2var_epi8(t[2], index.v, t[3]);
        return {_mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index.v), high)};
      }
    }
  }
};

/// The next state after a class, in a table of kSize entries.
template <u32 kSize>
struct Next {
  Lookup<kSize> table;
  explicit LANES_FN Next(const PackedTable& t) : table(t.next) {}
  LANES_FN Register operator()(Register state, Register cls) const {
    return table(Register::add(state, cls));
  }
};

/// The same for a table of two halves.
template <>
struct Next<512> {
  Lookup<256> first, second;
  explicit LANES_FN Next(const PackedTable& t) : first(t.next), second(t.next + 256) {}
  LANES_FN Register operator()(Register state, Register cls) const {
    const Register index = Register::add(state, cls);
    return Register::select(_mm512_movepi8_mask(cls.v), second(index), first(index));
  }
};

/// Any map of bytes to classes.
struct Classes : Lookup<256> {
  explicit LANES_FN Classes(const PackedTable& table) : Lookup<256>(table.class_of) {}
};

/// Tables in which all bytes >= 0x80 have one entry.
struct LowLookup {
  Lookup<128> low;
  Register high;
  explicit LANES_FN LowLookup(const u8* table) : low(table), high(Register::splat(table[128])) {}
  LANES_FN Register operator()(Register bytes) const {
    return Register::select(_mm512_movepi8_mask(bytes.v), high, low(bytes));
  }
};

/// Maps of bytes to classes in which all bytes >= 0x80 have one class.
struct LowClasses : LowLookup {
  explicit LANES_FN LowClasses(const PackedTable& table) : LowLookup(table.class_of) {}
};

/// The kinds of the six low bits of each byte.
struct Kinds : Lookup<64> {
  explicit LANES_FN Kinds(const KindTable& table) : Lookup<64>(table.of_six) {}
};

/// The kinds of each byte itself.
struct AllKinds : Lookup<256> {
  explicit LANES_FN AllKinds(const KindTable& table) : Lookup<256>(table.of_byte) {}
};

/// The same if all bytes >= 0x80 have the same kinds.
struct LowKinds : LowLookup {
  explicit LANES_FN LowKinds(const KindTable& table) : LowLookup(table.of_byte) {}
};

}  // namespace lanewise::lanes::avx512
