#include "lanes/testing/gate/gate_twin.h"

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
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // gcc 12, in its own intrinsics
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

#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")

/// For bytes below 16 * kTables; shuffles give 0 where the top bit is set, so each table takes its own 16.
template <u32 kTables>
static LANES_FN __m256i look_up(const __m256i* t, __m256i i) {
  const __m256i top = _mm256_set1_epi8(0x70);
  __m256i found = _mm256_shuffle_epi8(t[0], _mm256_adds_epu8(i, top));
  LANES_UNROLL for (u32 k = 1; k < kTables; k++) {
    const __m256i own = _mm256_adds_epu8(_mm256_sub_epi8(i, _mm256_set1_epi8(char(16 * k))), top);
    found = _mm256_or_si256(found, _mm256_shuffle_epi8(t[k], own));
  }
  return found;
}

#define ZIP32(a, b)                                      \
  LANES_UNROLL for (int i = 0; i < 8; i++) {             \
    b[2 * i] = _mm256_unpacklo_epi8(a[i], a[i + 8]);     \
    b[2 * i + 1] = _mm256_unpackhi_epi8(a[i], a[i + 8]); \
  }

template <u32 kRuns, u32 kTables>
static u64 count_by_runs(const Runs& a, const u32* offset, const u8* bytes, u64 rows) {
  __m256i bound[kRuns], table[kTables];
  for (u32 i = 0; i < kRuns; i++) bound[i] = _mm256_set1_epi8(char(a.start[i] - 1));
  for (u32 i = 0; i < kTables; i++) {
    table[i] =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a.next + 16 * i)));
  }
  const u8* at[32];
  u32 left[32] = {};
  alignas(32) u8 states[32] = {}, rem[32];
  for (const u8*& p : at) p = bytes;
  __m256i state = _mm256_setzero_si256();
  u64 next = 0, count = 0;
  u32 live = 0;
  for (;;) {
    u32 idle = ~live;
    if (idle && next < rows) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(states), state);
      for (; idle && next < rows; idle &= idle - 1, next++) {
        const int k = __builtin_ctz(idle);
        at[k] = bytes + offset[next];
        left[k] = offset[next + 1] - offset[next];
        states[k] = 0;
        live |= 1u << k;
      }
      state = _mm256_load_si256(reinterpret_cast<const __m256i*>(states));
    }
    if (!live) return count;
    for (int k = 0; k < 32; k++) rem[k] = u8(left[k] > 16 ? 16 : left[k]);
    __m256i x[16], y[16];
    const auto piece = [&](int k) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at[k])); };
    LANES_UNROLL for (int i = 0; i < 16; i++) {
      x[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(piece(i)), piece(16 + i), 1);
    }
    ZIP32(x, y)
    ZIP32(y, x)
    ZIP32(x, y) ZIP32(y, x) const __m256i r = _mm256_load_si256(reinterpret_cast<const __m256i*>(rem));
    LANES_UNROLL for (int j = 0; j < 16; j++) {
      __m256i run = _mm256_setzero_si256();
      LANES_UNROLL for (u32 i = 0; i < kRuns; i++) run =
          _mm256_sub_epi8(run, _mm256_cmpgt_epi8(x[j], bound[i]));
      const __m256i to = look_up<kTables>(table, _mm256_add_epi8(state, run));
      state = _mm256_blendv_epi8(state, to, _mm256_cmpgt_epi8(r, _mm256_set1_epi8(char(j))));
    }
    const __m256i accept = _mm256_cmpeq_epi8(state, _mm256_set1_epi8(char(a.accept)));
    u32 ended = u32(_mm256_movemask_epi8(accept)) & live;
    count += u64(__builtin_popcount(ended));
    for (int k = 0; k < 32; k++) {
      at[k] += rem[k];
      left[k] -= rem[k];
      ended |= u32(left[k] == 0) << k;
    }
    live &= ~ended;
  }
}

template <u32 kRuns>
static u64 count_by_runs(const Runs& a, const u32* offset, const u8* bytes, u64 rows) {
  return a.entries <= 64 ? count_by_runs<kRuns, 4>(a, offset, bytes, rows)
                         : count_by_runs<kRuns, 8>(a, offset, bytes, rows);
}

u64 count_packed(const Runs& a, const u32* offset, const u8* bytes, u64 rows) {
  if (a.runs <= 5) return count_by_runs<4>(a, offset, bytes, rows);
  if (a.runs <= 7) return count_by_runs<6>(a, offset, bytes, rows);
  if (a.runs <= 9) return count_by_runs<8>(a, offset, bytes, rows);
  return count_by_runs<14>(a, offset, bytes, rows);
}
#pragma GCC pop_options
#endif

}  // namespace lanewise::lanes::gate
