#pragma once

// Freestanding: compiled by NVRTC, and by the host's compiler in tests. No standard headers here.

#include "lanes/lane.h"

/// Before a loop that is there once, for the sake of the time that compiling takes.
#if defined(__CUDACC__)
#define LANEWISE_ROLLED _Pragma("unroll 1")
#else
#define LANEWISE_ROLLED
#endif

/// What generated kernels are written in: values as they lie in columns, and functions of single values.
/// Each function's first parameter is where it says that its result is NULL or that it failed.
namespace lanewise::kernel {

using lanes::u16;
using lanes::u32;
using lanes::u64;
using lanes::u8;
using i8 = signed char;
using i16 = short;
using i32 = int;
#if defined(__INT64_TYPE__)
using i64 = __INT64_TYPE__;  // the host's type, as u64 is
#else
using i64 = long long;
#endif
#if defined(__CUDACC__)
using i128 = __int128;
using u128 = unsigned __int128;
#else
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;
#endif
using f32 = float;
using f64 = double;

/// A string: bytes in a column, or a literal.
struct Text {
  const u8* at;
  u64 size;
};

struct Interval {
  i32 months, days;
  i64 micros;
};

/// A literal's bytes in whole words of 8, as the bytes of columns can be read.
template <u32 kSize>
struct LiteralWords {
  u64 words[(kSize + 7) / 8];
  constexpr LiteralWords(const char (&text)[kSize]) : words{} {
    for (u32 i = 0; i < kSize; i++) words[i / 8] |= u64(u8(text[i])) << i % 8 * 8;
  }
};
template <LiteralWords kText>
struct Literal {
  static constexpr LiteralWords held = kText;
  static LANES_FN Text text(u64 size) { return {reinterpret_cast<const u8*>(held.words), size}; }
};

/// What a function returns apart from its value, which is then unspecified.
struct Outcome {
  bool null = false;
  bool failed = false;
};

template <class T>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<f32> = true;
template <>
inline constexpr bool is_float<f64> = true;
template <class T>
inline constexpr bool is_signed = T(-1) < T(0);

template <class T>
inline constexpr T lowest = is_signed<T> ? T(u128(1) << (sizeof(T) * 8 - 1)) : T(0);
template <class T>
inline constexpr T highest = T(~lowest<T>);

/// The 128-bit number of these halves.
LANES_FN i128 whole(u64 high, u64 low) { return i128(u128(high) << 64 | low); }

/// The same bits as another type.
template <class To, class From>
LANES_FN To reinterpreted(From value) {
  union {
    From from;
    To to;
  } both;
  both.from = value;
  return both.to;
}
/// A float by its bits, and its bits.
LANES_FN f64 real(u64 bits) { return reinterpreted<f64>(bits); }
LANES_FN u64 bits_of(f64 value) { return reinterpreted<u64>(value); }
LANES_FN u64 bits_of(f32 value) { return reinterpreted<u32>(value); }

#if defined(__CUDACC__)
LANES_FN f64 nearest(f64 value) { return rint(value); }  ///< ties to even
LANES_FN f32 nearest(f32 value) { return rintf(value); }
LANES_FN f64 nearest_away(f64 value) { return round(value); }  ///< ties away from zero
LANES_FN f64 magnitude(f64 value) { return fabs(value); }
LANES_FN f32 magnitude(f32 value) { return fabsf(value); }
#else
LANES_FN f64 nearest(f64 value) { return __builtin_rint(value); }
LANES_FN f32 nearest(f32 value) { return __builtin_rintf(value); }
LANES_FN f64 nearest_away(f64 value) { return __builtin_round(value); }
LANES_FN f64 magnitude(f64 value) { return __builtin_fabs(value); }
LANES_FN f32 magnitude(f32 value) { return __builtin_fabsf(value); }
#endif

LANES_FN bool bit(const u32* bitmap, u64 row) { return bitmap[row / 32] >> row % 32 & 1; }

}  // namespace lanewise::kernel
