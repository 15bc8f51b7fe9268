#include "index/kernels/search.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,lzcnt,popcnt")

#include "index/kernels/search-inl.h"

namespace lanewise::index {

namespace {
struct Avx512Line {
  static LANES_FN u32 below(const u32* line, u32 key) {
    const __mmask16 less = _mm512_cmplt_epu32_mask(_mm512_loadu_si512(line), _mm512_set1_epi32(int(key)));
    return u32(_mm_popcnt_u32(less));
  }
  static LANES_FN u32 below(const u64* line, u64 key) {
    const __mmask8 less =
        _mm512_cmplt_epu64_mask(_mm512_loadu_si512(line), _mm512_set1_epi64(static_cast<long long>(key)));
    return u32(_mm_popcnt_u32(less));
  }
};
}  // namespace

const SearchKernels kAvx512Search = {{search_batch<Avx512Line, u32>, search_node<Avx512Line, u32>},
                                     {search_batch<Avx512Line, u64>, search_node<Avx512Line, u64>}};

}  // namespace lanewise::index

#endif
