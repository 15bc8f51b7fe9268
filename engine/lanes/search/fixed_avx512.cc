#include "lanes/search/fixed_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // gcc 12 sees the undefined operands of its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,lzcnt,popcnt")

namespace lanewise::lanes {

static LANES_FN __m512i load(const u32* from, __mmask8 rows) {
  return _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(rows, from));
}
static LANES_FN __m512i load(const u64* from, __mmask8 rows) { return _mm512_maskz_loadu_epi64(rows, from); }
static LANES_FN __m512i splat(u64 value) { return _mm512_set1_epi64((long long)value); }

template <class Offset>
static u64 test_avx512(const u8* bytes, const Offset* offsets, u32 gap, u64 asked, const FixedText& text) {
  const __m512i size = splat(text.size), mask = splat(text.mask), gaps = splat(gap);
  u64 found = 0;
  for (u32 i = 0; i < 64 && asked >> i; i += 8) {
    __mmask8 rows = __mmask8(asked >> i);
    const __m512i begin = load(offsets + i, rows), end = _mm512_sub_epi64(load(offsets + i + 1, rows), gaps);
    const __m512i has = _mm512_sub_epi64(end, begin);
    rows = text.place == Place::whole ? _mm512_mask_cmpeq_epu64_mask(rows, has, size)
                                      : _mm512_mask_cmpge_epu64_mask(rows, has, size);
    const __m512i at = text.place == Place::end ? _mm512_sub_epi64(end, size) : begin;
    for (u32 w = 0; rows && w < text.words; w++) {
      const __m512i word = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), rows,
                                                       _mm512_add_epi64(at, splat(text.at[w])), bytes, 1);
      rows = _mm512_mask_cmpeq_epu64_mask(rows, _mm512_and_si512(word, mask), splat(text.value[w]));
    }
    found |= u64(rows) << i;
  }
  return found;
}

const FixedTests kAvx512FixedTests = {Target::avx512, test_avx512<u32>, test_avx512<u64>};

}  // namespace lanewise::lanes

#endif
