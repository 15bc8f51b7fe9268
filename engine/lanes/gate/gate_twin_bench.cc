#include "lanes/gate/gate_twin.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanewise::lanes::gate {

u64 count_scalar(const Plain& a, const u32* offset, const u8* bytes, u64 rows) {
  u64 count = 0;
  for (u64 i = 0; i < rows; i++) {
    u32 state = 0;
    for (const u8* at = bytes + offset[i]; at < bytes + offset[i + 1] && state != a.accept; at++) {
      state = a.next[state * 256 + *at];
    }
    count += state == a.accept;
  }
  return count;
}

template <u32 W>
u64 count_interleaved(const Plain& a, const u32* offset, const u8* bytes, u64 rows) {
  const u8* next = a.next;
  const u8 *at[W], *end[W];
  u32 state[W];
  u64 row = 0, count = 0;
  const auto open = [&](u32 k) {
    at[k] = bytes + offset[row];
    end[k] = bytes + offset[++row];
    state[k] = 0;
  };
  for (u32 k = 0; k < W; k++) open(k);
  while (row + W < rows) {
    long steps = 1 << 20;
    for (u32 k = 0; k < W; k++) steps = end[k] - at[k] < steps ? end[k] - at[k] : steps;
    for (long j = 0; j < steps; j++) {
      LANES_UNROLL for (u32 k = 0; k < W; k++) state[k] = next[state[k] * 256 + at[k][j]];
    }
    for (u32 k = 0; k < W; k++) {
      at[k] += steps;
      if (at[k] == end[k] || state[k] == a.accept) {
        count += state[k] == a.accept;
        open(k);
      }
    }
  }
  for (u32 k = 0; k < W; k++) {
    while (at[k] < end[k] && state[k] != a.accept) state[k] = next[state[k] * 256 + *at[k]++];
    count += state[k] == a.accept;
  }
  return count + count_scalar(a, offset + row, bytes, rows - row);
}
template u64 count_interleaved<4>(const Plain&, const u32*, const u8*, u64);
template u64 count_interleaved<8>(const Plain&, const u32*, const u8*, u64);

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // gcc 12, inside its own intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")

template <u32 kSize>
static LANES_FN __m512i look_up(const __m512i* t, __m512i i) {
  if (kSize == 64) return _mm512_permutexvar_epi8(i, t[0]);
  const __m512i low = _mm512_permutex2var_epi8(t[0], i, t[1]);
  if (kSize == 128) return low;
  return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(i), _mm512_permutex2var_epi8(t[2], i, t[3]));
}

#define ZIP(a, b)                                        \
  LANES_UNROLL for (int i = 0; i < 8; i++) {             \
    b[2 * i] = _mm512_unpacklo_epi8(a[i], a[i + 8]);     \
    b[2 * i + 1] = _mm512_unpackhi_epi8(a[i], a[i + 8]); \
  }

template <u32 kSize>
static u64 count_in_registers(const Small& a, const u32* offset, const u8* bytes, u64 rows) {
  __m512i table[4], classes[2];
  for (int i = 0; i < 4; i++) table[i] = _mm512_loadu_si512(a.next + 64 * i);
  for (int i = 0; i < 2; i++) classes[i] = _mm512_loadu_si512(a.class_of + 64 * i);
  const __m512i high = _mm512_set1_epi8(char(a.class_of[200]));
  const __m512i accept = _mm512_set1_epi8(char(a.accept));
  alignas(64) u32 pos[64] = {}, end[64] = {};
  alignas(64) u8 rem[64];
  __m512i state = _mm512_setzero_si512();
  u64 next = 0, count = 0, live = 0;
  for (;;) {
    const u64 idle = ~live;
    if (idle && next < rows) {
      u64 m = idle;
      if (rows - next < 64) m = _pdep_u64((1ull << (rows - next)) - 1, m);
      for (int i = 0; i < 4; i++) {
        const __mmask16 q = __mmask16(m >> 16 * i);
        __m512i p = _mm512_load_si512(pos + 16 * i), e = _mm512_load_si512(end + 16 * i);
        _mm512_store_si512(pos + 16 * i, _mm512_mask_expandloadu_epi32(p, q, offset + next));
        _mm512_store_si512(end + 16 * i, _mm512_mask_expandloadu_epi32(e, q, offset + next + 1));
        next += u64(__builtin_popcount(q));
      }
      state = _mm512_mask_mov_epi8(state, m, _mm512_setzero_si512());
      live |= m;
    }
    if (!live) return count;
    for (int i = 0; i < 4; i++) {
      const __m512i r = _mm512_sub_epi32(_mm512_load_si512(end + 16 * i), _mm512_load_si512(pos + 16 * i));
      _mm_store_si128(reinterpret_cast<__m128i*>(rem + 16 * i), _mm512_cvtusepi32_epi8(r));
    }
    __m512i x[16], y[16];
    const auto piece = [&](int k) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + pos[k]));
    };
    LANES_UNROLL for (int i = 0; i < 16; i++) {
      __m512i v = _mm512_castsi128_si512(piece(i));
      v = _mm512_inserti32x4(v, piece(16 + i), 1);
      v = _mm512_inserti32x4(v, piece(32 + i), 2);
      x[i] = _mm512_inserti32x4(v, piece(48 + i), 3);
    }
    ZIP(x, y) ZIP(y, x) ZIP(x, y) ZIP(y, x) const __m512i r = _mm512_load_si512(rem);
    LANES_UNROLL for (int j = 0; j < 16; j++) {
      const __m512i low = _mm512_permutex2var_epi8(classes[0], x[j], classes[1]);
      const __m512i c = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x[j]), high);
      const __m512i to = look_up<kSize>(table, _mm512_add_epi8(state, c));
      state = _mm512_mask_mov_epi8(state, _mm512_cmpgt_epu8_mask(r, _mm512_set1_epi8(char(j))), to);
    }
    const u64 accepted = _mm512_cmpeq_epi8_mask(state, accept) & live;
    count += u64(__builtin_popcountll(accepted));
    live &= ~(_mm512_cmple_epu8_mask(r, _mm512_set1_epi8(16)) | accepted);
    for (int i = 0; i < 4; i++) {
      const __m512i to = _mm512_add_epi32(_mm512_load_si512(pos + 16 * i), _mm512_set1_epi32(16));
      _mm512_store_si512(pos + 16 * i, _mm512_min_epu32(to, _mm512_load_si512(end + 16 * i)));
    }
  }
}

u64 count_packed(const Small& a, const u32* offset, const u8* bytes, u64 rows) {
  if (a.entries <= 64) return count_in_registers<64>(a, offset, bytes, rows);
  if (a.entries <= 128) return count_in_registers<128>(a, offset, bytes, rows);
  return count_in_registers<256>(a, offset, bytes, rows);
}
#pragma GCC pop_options
#endif

}  // namespace lanewise::lanes::gate
