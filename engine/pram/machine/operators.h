#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pram/tree/value.h"

/// Scalar operators on words: each writes `out` and returns whether it failed. After a failure `out` is
/// unspecified. Integers of 32 bits are computed with 64 bits and then checked.
namespace lanewise::pram::operators {

inline bool fit_int32(Word value) { return value != static_cast<int32_t>(value); }

inline bool add(Word a, Word b, Word& out) { return __builtin_add_overflow(a, b, &out); }
inline bool subtract(Word a, Word b, Word& out) { return __builtin_sub_overflow(a, b, &out); }
inline bool multiply(Word a, Word b, Word& out) { return __builtin_mul_overflow(a, b, &out); }
/// Rounds down.
inline bool divide(Word a, Word b, Word& out) {
  const bool fails = b == 0 || (b == -1 && a == std::numeric_limits<Word>::min());
  const Word divisor = fails ? 1 : b;
  const Word quotient = a / divisor;
  out = quotient - (quotient * divisor != a && (a < 0) != (divisor < 0) ? 1 : 0);
  return fails;
}
/// The result has the sign of b.
inline bool modulo(Word a, Word b, Word& out) {
  const Word divisor = b == 0 || b == -1 ? 1 : b;  // a % -1 is 0, but traps for the minimum of a
  const Word rest = a % divisor;
  out = rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
  return b == 0;
}
inline bool negate(Word a, Word& out) { return __builtin_sub_overflow(Word{0}, a, &out); }
inline bool absolute(Word a, Word& out) { return a < 0 ? negate(a, out) : (out = a, false); }
inline bool log2(Word a, Word& out) {
  out = 63 - std::countl_zero(static_cast<uint64_t>(a) | 1);
  return a <= 0;
}
inline bool shift_left(Word a, Word b, Word& out) {
  const bool fails = b < 0 || b > 63;
  const Word by = fails ? 0 : b;
  out = static_cast<Word>(static_cast<uint64_t>(a) << by);
  return fails || out >> by != a;
}
inline bool shift_right(Word a, Word b, Word& out) {
  const bool fails = b < 0 || b > 63;
  out = a >> (fails ? 0 : b);
  return fails;
}
/// Towards zero.
inline bool to_integer(double a, Word& out) {
  const bool fits = a >= -0x1p63 && a < 0x1p63;  // false for NaN
  out = fits ? static_cast<Word>(a) : 0;
  return !fits;
}
/// NaN if either is; for zeros of both signs min is -0, max 0: the same on every machine.
inline double min_real(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
inline double max_real(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

}  // namespace lanewise::pram::operators
