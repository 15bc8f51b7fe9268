#include "primitives/kernels/tables.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "primitives/kernels/vector_tables-inl.h"

namespace lanewise::kernels {
namespace {

struct Neon {
  static constexpr lanes::Target kTarget = lanes::Target::neon;
  static constexpr size_t kBytes = 16;

  /// The sum of each lane's own bit of a mask of all ones or zero.
  template <class Mask>
  static LANES_FN u64 bits(Mask mask) {
    constexpr size_t width = sizeof mask[0];
    if constexpr (width == 1) {
      const uint8x16_t own =
          vandq_u8((uint8x16_t)mask, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)));
      return vaddv_u8(vget_low_u8(own)) | u64(vaddv_u8(vget_high_u8(own))) << 8;
    }
    if constexpr (width == 2)
      return vaddvq_u16(vandq_u16((uint16x8_t)mask, uint16x8_t{1, 2, 4, 8, 16, 32, 64, 128}));
    if constexpr (width == 4) return vaddvq_u32(vandq_u32((uint32x4_t)mask, uint32x4_t{1, 2, 4, 8}));
    if constexpr (width == 8) return vaddvq_u64(vandq_u64((uint64x2_t)mask, uint64x2_t{1, 2}));
  }

  /// Without a branch per bit: groups of 4, 64 numbers at most are written.
  static LANES_FN uint32_t* list_word(u64 word, uint32_t first, uint32_t* out) {
    uint32_t* end = out + lanes::count_bits(word);
    while (out < end) {
      LANES_UNROLL for (int i = 0; i < 4; i++, word &= word - 1) {
        *out++ = first + u32(__builtin_ctzll(word | u64(1) << 63));
      }
    }
    return end;
  }

  using U32 = Vector<u32, 4>;
  static LANES_FN U32 permute(U32 v, U32 index) {
    const U32 bytes = (index & 3) * 0x04040404 + 0x03020100;
    return (U32)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)bytes);
  }
  static LANES_FN U32 gather(const uint32_t* from, U32 index) {
    return U32{from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
  }
  static LANES_FN U32 compress(U32 v, u64 mask) {
    u32 index[4] = {}, count = 0;
    LANES_UNROLL for (u32 k = 0; k < 4; k++) {
      index[count] = k;
      count += mask >> k & 1;
    }
    return permute(v, load<U32>(index));
  }
  static LANES_FN U32 prefix(u64 mask) {
    const u32 a = mask & 1, b = a + (mask >> 1 & 1), c = b + (mask >> 2 & 1);
    return U32{a, b, c, c + u32(mask >> 3 & 1)};
  }
};

}  // namespace

constexpr Tables kTables = vector_tables<Neon>();
const Tables kNeonTables = kTables;

}  // namespace lanewise::kernels

#endif
