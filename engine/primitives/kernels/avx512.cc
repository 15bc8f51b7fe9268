#include "primitives/kernels/tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "primitives/groups/hash.h"

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands of its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")

#include "primitives/kernels/vector_tables-inl.h"

namespace lanewise::kernels {
namespace {

struct Avx512 {
  static constexpr lanes::Target kTarget = lanes::Target::avx512;
  static constexpr size_t kBytes = 64;

  template <class Mask>
  static LANES_FN u64 bits(Mask mask) {
    constexpr size_t width = sizeof mask[0];
    if constexpr (width == 1) return _mm512_movepi8_mask((__m512i)mask);
    if constexpr (width == 2) return _mm512_movepi16_mask((__m512i)mask);
    if constexpr (width == 4) return _mm512_movepi32_mask((__m512i)mask);
    if constexpr (width == 8) return _mm512_movepi64_mask((__m512i)mask);
  }

  template <class V>
  static LANES_FN V keep(V v, u64 bits) {
    constexpr size_t width = sizeof v[0];
    if constexpr (width == 1) return (V)_mm512_maskz_mov_epi8(bits, (__m512i)v);
    if constexpr (width == 2) return (V)_mm512_maskz_mov_epi16(__mmask32(bits), (__m512i)v);
    if constexpr (width == 4) return (V)_mm512_maskz_mov_epi32(__mmask16(bits), (__m512i)v);
    if constexpr (width == 8) return (V)_mm512_maskz_mov_epi64(__mmask8(bits), (__m512i)v);
  }

  static LANES_FN uint32_t* list_word(u64 word, uint32_t first, uint32_t* out) {
    __m512i numbers =
        _mm512_add_epi32(_mm512_set1_epi32(int(first)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    LANES_UNROLL for (int i = 0; i < 64; i += 16) {
      const __mmask16 part = __mmask16(word >> i);
      _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(part, numbers));
      out += __builtin_popcount(part);
      numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
    return out;
  }

  using U32 = Vector<u32, 16>;
  static LANES_FN U32 permute(U32 v, U32 index) {
    return (U32)_mm512_permutexvar_epi32((__m512i)index, (__m512i)v);
  }
  static LANES_FN U32 gather(const uint32_t* from, U32 index) {
    // The instruction's indexes have a sign, and places may exceed 2^31.
    const __m512i index_from_middle = _mm512_xor_si512((__m512i)index, _mm512_set1_epi32(int(1u << 31)));
    return (U32)_mm512_i32gather_epi32(index_from_middle, from + (size_t(1) << 31), 4);
  }
  static LANES_FN U32 compress(U32 v, u64 mask) {
    return (U32)_mm512_maskz_compress_epi32(__mmask16(mask), (__m512i)v);
  }
  static LANES_FN U32 expand(U32 old, U32 v, u64 mask) {
    return (U32)_mm512_mask_expand_epi32((__m512i)old, __mmask16(mask), (__m512i)v);
  }
  /// The bits of a byte each, whose sums a multiplication gives.
  static LANES_FN U32 prefix(u64 mask) {
    constexpr u64 ones = 0x0101010101010101;
    const u64 low = _pdep_u64(mask, ones) * ones;
    const u64 high = _pdep_u64(mask >> 8, ones) * ones + (low >> 56) * ones;
    return (U32)_mm512_cvtepu8_epi32(_mm_set_epi64x(int64_t(high), int64_t(low)));
  }
};

}  // namespace

constexpr Tables kTables = vector_tables<Avx512>();
const Tables kAvx512Tables = kTables;

}  // namespace lanewise::kernels

#endif
