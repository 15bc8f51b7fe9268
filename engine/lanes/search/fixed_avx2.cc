#include "lanes/search/fixed_targets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

namespace lanewise::lanes {

/// All bits of lane k if bit k is set.
static LANES_FN __m256i spread(u64 bits) {
  const __m256i of_lane = _mm256_setr_epi64x(1, 2, 4, 8);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)bits), of_lane), of_lane);
}
static LANES_FN u64 bits_of(__m256i rows) { return u64(_mm256_movemask_pd(_mm256_castsi256_pd(rows))); }
static LANES_FN __m256i load(const u32* from, __m256i rows) {
  const __m256i halves = _mm256_permutevar8x32_epi32(rows, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  return _mm256_cvtepu32_epi64(
      _mm_maskload_epi32(reinterpret_cast<const int*>(from), _mm256_castsi256_si128(halves)));
}
static LANES_FN __m256i load(const u64* from, __m256i rows) {
  return _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), rows);
}
static LANES_FN __m256i splat(u64 value) { return _mm256_set1_epi64x((long long)value); }

template <class Offset>
static u64 test_avx2(const u8* bytes, const Offset* offsets, u32 gap, u64 asked, const FixedText& text) {
  const __m256i size = splat(text.size), mask = splat(text.mask), gaps = splat(gap);
  u64 found = 0;
  for (u32 i = 0; i < 64 && asked >> i; i += 4) {
    __m256i rows = spread(asked >> i);
    const __m256i begin = load(offsets + i, rows), end = _mm256_sub_epi64(load(offsets + i + 1, rows), gaps);
    const __m256i has = _mm256_sub_epi64(end, begin);
    const __m256i fits = text.place == Place::whole
                             ? _mm256_cmpeq_epi64(has, size)
                             : _mm256_cmpgt_epi64(has, _mm256_sub_epi64(size, splat(1)));  // both < 2^63
    rows = _mm256_and_si256(rows, fits);
    const __m256i at = text.place == Place::end ? _mm256_sub_epi64(end, size) : begin;
    for (u32 w = 0; bits_of(rows) && w < text.words; w++) {
      const __m256i word =
          _mm256_mask_i64gather_epi64(_mm256_setzero_si256(), reinterpret_cast<const long long*>(bytes),
                                      _mm256_add_epi64(at, splat(text.at[w])), rows, 1);
      rows = _mm256_and_si256(rows, _mm256_cmpeq_epi64(_mm256_and_si256(word, mask), splat(text.value[w])));
    }
    found |= bits_of(rows) << i;
  }
  return found;
}

const FixedTests kAvx2FixedTests = {Target::avx2, test_avx2<u32>, test_avx2<u64>};

}  // namespace lanewise::lanes

#endif
