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

  using U32 = Vector<u32, 8>;
  static LANES_FN U32 permute(U32 v, U32 index) {
    return (U32)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)index);
  }
  /// Of the compiler: the instruction takes as long, and its indexes have a sign.
  static LANES_FN U32 gather(const uint32_t* from, U32 index) {
    U32 v;
    LANES_UNROLL for (int k = 0; k < 8; k++) v[k] = from[index[k]];
    return v;
  }
  static LANES_FN U32 bytes(u64 eight) {
    return (U32)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(int64_t(eight)));
  }
  static LANES_FN U32 compress(U32 v, u64 mask) {
    return permute(v, bytes(_pext_u64(0x0706050403020100, _pdep_u64(mask, kOnes) * 255)));
  }
  /// The bits of a byte each, whose sums a multiplication gives.
  static LANES_FN U32 prefix(u64 mask) { return bytes(_pdep_u64(mask, kOnes) * kOnes); }

 private:
  static constexpr u64 kOnes = 0x0101010101010101;
};

}  // namespace

constexpr Tables kTables = vector_tables<Avx2>();
const Tables kAvx2Tables = kTables;

}  // namespace lanewise::kernels

#endif
