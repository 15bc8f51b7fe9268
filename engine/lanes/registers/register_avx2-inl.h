#pragma once

// Include after `#pragma GCC target` for AVX2 and BMI2 only.

#include <immintrin.h>

#include "lanes/lane.h"
#include "lanes/tables/kind_table.h"
#include "lanes/tables/packed_table.h"

namespace lanewise::lanes::avx2 {

/// 32 bytes. The operations are defined in register_emulated-inl.h.
struct Register {
  static constexpr u32 lanes = 32;
  using Mask = u32;
  __m256i v;

  static LANES_FN Register load(const u8* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  LANES_FN void store(u8* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v); }
  static LANES_FN Register splat(u8 value) { return {_mm256_set1_epi8(char(value))}; }
  static LANES_FN Register pieces(const u8* bytes, const u32* at) {
    const __m256i low = _mm256_castsi128_si256(piece(bytes, at[0]));
    return {_mm256_inserti128_si256(low, piece(bytes, at[16]), 1)};
  }

  static LANES_FN Register zip_low(Register a, Register b) { return {_mm256_unpacklo_epi8(a.v, b.v)}; }
  static LANES_FN Register zip_high(Register a, Register b) { return {_mm256_unpackhi_epi8(a.v, b.v)}; }
  static LANES_FN Register add(Register a, Register b) { return {_mm256_add_epi8(a.v, b.v)}; }
  static LANES_FN Register subtract(Register a, Register b) { return {_mm256_sub_epi8(a.v, b.v)}; }
  static LANES_FN Register both(Register a, Register b) { return {_mm256_and_si256(a.v, b.v)}; }
  static LANES_FN Register larger(Register a, Register b) { return {_mm256_max_epu8(a.v, b.v)}; }
  static LANES_FN Mask equal(Register a, Register b) { return bits(_mm256_cmpeq_epi8(a.v, b.v)); }
  static LANES_FN Mask greater(Register a, Register b) {
    return ~bits(_mm256_cmpeq_epi8(_mm256_max_epu8(a.v, b.v), b.v));  // a <= b if the maximum is b
  }
  static LANES_FN Register select(Mask m, Register a, Register b) {
    const __m256i byte_of_lane =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit_of_lane = _mm256_set1_epi64x(0x8040201008040201);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(int(m)), byte_of_lane);
    const __m256i chosen = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit_of_lane), bit_of_lane);
    return {_mm256_blendv_epi8(b.v, a.v, chosen)};
  }
  static LANES_FN Register step_if_more(Register left, u8 j, Register next, Register state) {
    // Comparisons are signed: the same minimum for all j.
    const __m256i more =
        _mm256_cmpgt_epi8(_mm256_min_epu8(left.v, _mm256_set1_epi8(127)), _mm256_set1_epi8(char(j)));
    return {_mm256_blendv_epi8(state.v, next.v, more)};
  }

  static LANES_FN Register remaining(const u32* at, const u32* end) {
    // Packing treats a 32-bit number as signed: clamp to 255 first.
    const __m256i low = _mm256_packus_epi32(left_of(at, end), left_of(at + 8, end + 8));
    const __m256i high = _mm256_packus_epi32(left_of(at + 16, end + 16), left_of(at + 24, end + 24));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return {_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order)};
  }
  static LANES_FN void advance(u32* at, const u32* end) {
    LANES_UNROLL for (u32 i = 0; i < 32; i += 8) {
      const __m256i from = load8(at + i);
      const __m256i left = _mm256_sub_epi32(load8(end + i), from);
      const __m256i to = _mm256_add_epi32(from, _mm256_min_epu32(left, _mm256_set1_epi32(16)));
      _mm256_store_si256(reinterpret_cast<__m256i*>(at + i), to);
    }
  }

  static LANES_FN void expand(u32* to, Mask m, const u32* from, u32 base) {
    const __m256i bases = _mm256_set1_epi32(int(base));
    LANES_UNROLL for (u32 i = 0; i < 32; i += 8) {
      const Eight eight(m >> i);
      const __m256i taken = _mm256_maskload_epi32(reinterpret_cast<const int*>(from), eight.first());
      eight.put(to + i, _mm256_sub_epi32(_mm256_permutevar8x32_epi32(taken, eight.rank), bases));
      from += eight.count;
    }
  }
  static LANES_FN void expand(u32* to, Mask m, const u64* from, u64 base) {
    for (; m; m &= m - 1) to[__builtin_ctz(m)] = u32(*from++ - base);
  }
  static LANES_FN void expand_numbers(u32* to, Mask m, u32 first) {
    LANES_UNROLL for (u32 i = 0; i < 32; i += 8) {
      const Eight eight(m >> i);
      eight.put(to + i, _mm256_add_epi32(eight.rank, _mm256_set1_epi32(int(first))));
      first += eight.count;
    }
  }

 private:
  /// For the eight lowest lanes of a mask: their indexes, and the number of them before each lane.
  struct Eight {
    u32 count;
    __m256i lanes, rank;

    explicit LANES_FN Eight(Mask m) {
      const u64 ones = 0x0101010101010101, bytes = _pdep_u64(m, ones);
      count = u32(bytes * ones >> 56);
      lanes = _mm256_cmpeq_epi32(wide(bytes), _mm256_set1_epi32(1));
      rank = wide((bytes << 8) * ones);
    }
    LANES_FN __m256i first() const {
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(int(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    LANES_FN void put(u32* to, __m256i values) const {
      _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm256_blendv_epi8(load8(to), values, lanes));
    }
    static LANES_FN __m256i wide(u64 bytes) {
      return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
    }
  };

  static LANES_FN Mask bits(__m256i v) { return Mask(_mm256_movemask_epi8(v)); }
  static LANES_FN __m128i piece(const u8* bytes, u32 at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
  }
  static LANES_FN __m256i load8(const u32* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  static LANES_FN __m256i left_of(const u32* at, const u32* end) {
    return _mm256_min_epu32(_mm256_sub_epi32(load8(end), load8(at)), _mm256_set1_epi32(255));
  }
};

/// 16 aligned bytes, repeated in both halves.
static LANES_FN __m256i twice(const u8* from) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}

/// The next state after a class, in a table of kSize entries: one byte shuffle for every 16 entries. A
/// shuffle gives 0 if the index's top bit is set, so it affects all indexes from its 16 on, and
/// each table but the first of 128 entries is stored as the XOR with the previous one.
template <u32 kSize>
struct Next {
  __m256i t[kSize / 16];

  explicit LANES_FN Next(const PackedTable& table) {
    LANES_UNROLL for (u32 i = 0; i < kSize / 16; i++) {
      t[i] = twice(table.next + 16 * i);
      if (i % 8) t[i] = _mm256_xor_si256(t[i], twice(table.next + 16 * (i - 1)));
    }
  }
  LANES_FN Register operator()(Register state, Register cls) const {
    const __m256i index = Register::add(state, cls).v;
    __m256i found = look_up(t, index);
    if constexpr (kSize > 128) {
      found = _mm256_xor_si256(found, look_up(t + 8, _mm256_xor_si256(index, _mm256_set1_epi8(char(128)))));
    }
    return {found};
  }

 private:
  /// For indexes below 128; 0 for others.
  static LANES_FN __m256i look_up(const __m256i* tables, __m256i index) {
    __m256i found = _mm256_shuffle_epi8(tables[0], index);
    LANES_UNROLL for (u32 i = 1; i < (kSize < 128 ? kSize / 16 : 8); i++) {
      const __m256i here = _mm256_subs_epi8(index, _mm256_set1_epi8(char(16 * i)));
      found = _mm256_xor_si256(found, _mm256_shuffle_epi8(tables[i], here));
    }
    return found;
  }
};

/// The kinds that both nibbles of a byte have.
struct Kinds {
  __m256i of_low, of_high;

  explicit LANES_FN Kinds(const KindTable& table)
      : of_low(twice(table.of_low)), of_high(twice(table.of_high)) {}
  LANES_FN Register operator()(Register bytes) const {
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(bytes.v, half);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes.v, 4), half);
    return {_mm256_and_si256(_mm256_shuffle_epi8(of_low, low), _mm256_shuffle_epi8(of_high, high))};
  }
};

/// Maps of bytes to classes by the codes of their nibbles, in up to kLayers layers.
template <u32 kLayers>
struct CodeClasses {
  __m256i of_low[kLayers], of_high[kLayers], classes[kLayers], leaving_low, leaving_high;

  explicit LANES_FN CodeClasses(const PackedTable& table) {
    LANES_UNROLL for (u32 i = 0; i < kLayers; i++) {
      of_low[i] = twice(table.codes[i].of_low);
      of_high[i] = twice(table.codes[i].of_high);
      classes[i] = twice(table.codes[i].classes);
    }
    leaving_low = twice(table.leaving_low);
    leaving_high = twice(table.leaving_high);
  }
  LANES_FN Register leaving(Register bytes) const {
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(leaving_low, _mm256_and_si256(bytes.v, half));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes.v, 4), half);
    return {_mm256_and_si256(low, _mm256_shuffle_epi8(leaving_high, high))};
  }
  LANES_FN Register operator()(Register bytes) const {
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(bytes.v, half);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes.v, 4), half);
    __m256i found = _mm256_setzero_si256();
    LANES_UNROLL for (u32 i = 0; i < kLayers; i++) {
      const __m256i code =
          _mm256_and_si256(_mm256_shuffle_epi8(of_low[i], low), _mm256_shuffle_epi8(of_high[i], high));
      found = _mm256_xor_si256(found, _mm256_shuffle_epi8(classes[i], code));
    }
    return {found};
  }
};

/// Maps of bytes to classes that are constant on up to kRuns + 1 runs of bytes, in signed order.
template <u32 kRuns>
struct RunClasses {
  __m256i last_before[kRuns];
  __m256i class_of_run;

  explicit LANES_FN RunClasses(const PackedTable& table) {
    class_of_run = twice(table.run_class);
    LANES_UNROLL for (u32 i = 0; i < kRuns; i++) {
      const bool used = i + 1 < table.runs;
      last_before[i] = _mm256_set1_epi8(used ? char(table.run_start[i] - 1) : char(127));
    }
  }
  LANES_FN Register operator()(Register bytes) const {
    __m256i run = _mm256_setzero_si256();
    LANES_UNROLL for (u32 i = 0; i < kRuns; i++) {
      run = _mm256_sub_epi8(run, _mm256_cmpgt_epi8(bytes.v, last_before[i]));
    }
    return {_mm256_shuffle_epi8(class_of_run, run)};
  }
};

}  // namespace lanewise::lanes::avx2
