#include "index/kernels/search.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

#include "index/kernels/search-inl.h"

namespace lanewise::index {

namespace {
/// Comparisons are signed: the highest bit of both sides is flipped.
struct Avx2Line {
  static LANES_FN u32 below(const u32* line, u32 key) {
    const __m256i top = _mm256_set1_epi32(int(0x80000000));
    const __m256i sought = _mm256_xor_si256(_mm256_set1_epi32(int(key)), top);
    u32 count = 0;
    for (u32 i = 0; i < 2; i++) {
      const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line) + i);
      const __m256i less = _mm256_cmpgt_epi32(sought, _mm256_xor_si256(part, top));
      count += u32(_mm_popcnt_u32(u32(_mm256_movemask_ps(_mm256_castsi256_ps(less)))));
    }
    return count;
  }
  static LANES_FN u32 below(const u64* line, u64 key) {
    const __m256i top = _mm256_set1_epi64x(static_cast<long long>(u64(1) << 63));
    const __m256i sought = _mm256_xor_si256(_mm256_set1_epi64x(static_cast<long long>(key)), top);
    u32 count = 0;
    for (u32 i = 0; i < 2; i++) {
      const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line) + i);
      const __m256i less = _mm256_cmpgt_epi64(sought, _mm256_xor_si256(part, top));
      count += u32(_mm_popcnt_u32(u32(_mm256_movemask_pd(_mm256_castsi256_pd(less)))));
    }
    return count;
  }
};
}  // namespace

const SearchKernels kAvx2Search = {{search_batch<Avx2Line, u32>, search_node<Avx2Line, u32>},
                                   {search_batch<Avx2Line, u64>, search_node<Avx2Line, u64>}};

}  // namespace lanewise::index

#endif
