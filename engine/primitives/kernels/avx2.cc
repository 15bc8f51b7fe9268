#include "primitives/kernels/tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "primitives/groups/hash.h"

// Everything below may use these instructions; nothing of the standard library may be included below.
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang takes the target from its options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

#include "primitives/kernels/vector_tables-inl.h"

namespace lanewise::kernels {
namespace {

struct Avx2 {
  static constexpr lanes::Target kTarget = lanes::Target::avx2;
  static constexpr size_t kBytes = 32;

  template <class Mask>
  static LANES_FN u64 bits(Mask mask) {
    constexpr size_t width = sizeof mask[0];
    if constexpr (width == 1) return u32(_mm256_movemask_epi8((__m256i)mask));
    if constexpr (width == 2) return _pext_u32(u32(_mm256_movemask_epi8((__m256i)mask)), 0x55555555);
    if constexpr (width == 4) return u32(_mm256_movemask_ps((__m256)mask));
    if constexpr (width == 8) return u32(_mm256_movemask_pd((__m256d)mask));
  }

  /// Without a branch per bit: groups of 4, 64 numbers at most are written.
  static LANES_FN uint32_t* list_word(u64 word, uint32_t first, uint32_t* out) {
    uint32_t* end = out + _mm_popcnt_u64(word);
    while (out < end) {
      LANES_UNROLL for (int i = 0; i < 4; i++) {
        *out++ = first + u32(_tzcnt_u64(word));
        word = _blsr_u64(word);
      }
    }
    return end;
  }
};

}  // namespace

constexpr Tables kTables = vector_tables<Avx2>();
const Tables kAvx2Tables = kTables;

}  // namespace lanewise::kernels

#endif
