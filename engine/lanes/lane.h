#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.

#if defined(__CUDACC__)
#define LANES_FN __device__ __forceinline__
#else
#define LANES_FN inline __attribute__((always_inline))
#endif
#define LANES_UNROLL _Pragma("GCC unroll 64")

namespace lanewise::lanes {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
#if defined(__UINT64_TYPE__)
using u64 = __UINT64_TYPE__;
#else
using u64 = unsigned long long;
#endif

#if defined(__CUDACC__)
LANES_FN u32 count_bits(u64 bits) { return __popcll(bits); }
#elif defined(__POPCNT__) || !defined(__x86_64__)
LANES_FN u32 count_bits(u64 bits) { return __builtin_popcountll(bits); }
#else
/// Without the instruction, the compiler would call a function: adding neighbouring bits in place is faster.
LANES_FN u32 count_bits(u64 bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  return u32(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}
#endif

}  // namespace lanewise::lanes
