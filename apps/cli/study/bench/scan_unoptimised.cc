#include "study/bench/scan_unoptimised.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanewise::cli::bench {

namespace {

void filter_rows(const int32_t* values, size_t count, int32_t target, uint64_t* out) {
  for (size_t word = 0; word < (count + 63) / 64; word++) out[word] = 0;
  for (size_t i = 0; i < count; i++) {
    if (values[i] == target) out[i / 64] |= uint64_t{1} << i % 64;
  }
}

int64_t sum_rows(const int32_t* values, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum;
}

void bound_rows(const int32_t* values, size_t count, int32_t* least, int32_t* most) {
  *least = *most = values[0];
  for (size_t i = 0; i < count; i++) {
    if (values[i] < *least) *least = values[i];
    if (values[i] > *most) *most = values[i];
  }
}

size_t count_rows(const uint64_t* bitmap, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (bitmap[i / 64] >> i % 64 & 1) found++;
  }
  return found;
}

#if defined(__x86_64__)
#define LANEWISE_AVX2 __attribute__((target("avx2")))

LANEWISE_AVX2 __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

LANEWISE_AVX2 void filter_vectors(const int32_t* values, size_t count, int32_t target, uint64_t* out) {
  filter_rows(values + count / 64 * 64, count % 64, target, out + count / 64);
  const __m256i targets = _mm256_set1_epi32(target);
  for (size_t i = 0; i < count / 64 * 64; i += 8) {
    const __m256i equal = _mm256_cmpeq_epi32(load(values + i), targets);
    const auto bits = static_cast<uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
    reinterpret_cast<uint8_t*>(out)[i / 8] = bits;
  }
}

/// Sums of 64 bits: those of 32 overflowed in 2019.
LANEWISE_AVX2 int64_t sum_vectors(const int32_t* values, size_t count) {
  __m256i sums = _mm256_setzero_si256();
  for (size_t i = 0; i < count / 8 * 8; i += 8) {
    const __m256i eight = load(values + i);
    sums = _mm256_add_epi64(sums, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(eight)));
    sums = _mm256_add_epi64(sums, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(eight, 1)));
  }
  alignas(32) int64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3] + sum_rows(values + count / 8 * 8, count % 8);
}

LANEWISE_AVX2 void bound_vectors(const int32_t* values, size_t count, int32_t* least, int32_t* most) {
  __m256i low = _mm256_set1_epi32(values[0]), high = low;
  for (size_t i = 0; i < count / 8 * 8; i += 8) {
    const __m256i eight = load(values + i);
    low = _mm256_min_epi32(low, eight);
    high = _mm256_max_epi32(high, eight);
  }
  alignas(32) int32_t lows[8], highs[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lows), low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(highs), high);
  *least = *std::min_element(lows, lows + 8);
  *most = *std::max_element(highs, highs + 8);
  for (size_t i = count / 8 * 8; i < count; i++) {
    *least = std::min(*least, values[i]);
    *most = std::max(*most, values[i]);
  }
}

/// By a table of 16 entries in a register.
LANEWISE_AVX2 size_t count_vectors(const uint64_t* bitmap, size_t count) {
  const size_t words = (count + 63) / 64;
  const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
  const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2,
                                        3, 1, 2, 2, 3, 2, 3, 3, 4);
  __m256i sums = zero;
  for (size_t i = 0; i < words / 4 * 4; i += 4) {
    const __m256i bits = load(bitmap + i);
    const __m256i low = _mm256_shuffle_epi8(ones, _mm256_and_si256(bits, nibble));
    const __m256i high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
    sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_add_epi8(low, high), zero));
  }
  alignas(32) uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
  size_t found = lanes[0] + lanes[1] + lanes[2] + lanes[3];
  for (size_t i = words / 4 * 4; i < words; i++)
    found += static_cast<size_t>(__builtin_popcountll(bitmap[i]));
  return found;
}
#undef LANEWISE_AVX2
#endif

}  // namespace

std::span<const Unoptimised> unoptimised_levels() {
  static const Unoptimised kLevels[] = {
      {"scalar -O0", filter_rows, sum_rows, bound_rows, count_rows},
#if defined(__x86_64__)
      {"avx2 -O0", filter_vectors, sum_vectors, bound_vectors, count_vectors},
#endif
  };
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return std::span(kLevels).first(1);
#endif
  return kLevels;
}

}  // namespace lanewise::cli::bench
