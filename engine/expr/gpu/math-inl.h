#pragma once

#include "expr/gpu/arithmetic-inl.h"

/// Functions of numbers, as in expr/math/ on the host.
namespace lanewise::kernel {

LANES_FN bool is_infinite_number(f64 x) { return x - x != 0 && x == x; }

#if defined(__CUDACC__)
#define LANEWISE_MATH(name) ::name
#else
#define LANEWISE_MATH(name) __builtin_##name
#endif

/// f(x) of the C library; where `fails` is true of x, there is none.
#define LANEWISE_REAL(name, f, fails)          \
  LANES_FN f64 name(Outcome& outcome, f64 x) { \
    outcome.failed |= (fails);                 \
    return LANEWISE_MATH(f)(x);                \
  }
LANEWISE_REAL(square_root, sqrt, x < 0)
LANEWISE_REAL(cube_root, cbrt, false)
LANEWISE_REAL(natural_log, log, x <= 0)
LANEWISE_REAL(decimal_log, log10, x <= 0)
LANEWISE_REAL(binary_log, log2, x <= 0)
LANEWISE_REAL(exponential, exp, false)
LANEWISE_REAL(gamma_function, tgamma, x == 0)
LANEWISE_REAL(log_gamma, lgamma, x == 0)
LANEWISE_REAL(sine, sin, is_infinite_number(x))
LANEWISE_REAL(cosine, cos, is_infinite_number(x))
LANEWISE_REAL(tangent, tan, is_infinite_number(x))
LANEWISE_REAL(arc_sine, asin, x < -1 || x > 1)
LANEWISE_REAL(arc_cosine, acos, x < -1 || x > 1)
LANEWISE_REAL(arc_tangent, atan, false)
LANEWISE_REAL(hyperbolic_sine, sinh, false)
LANEWISE_REAL(hyperbolic_cosine, cosh, false)
LANEWISE_REAL(hyperbolic_tangent, tanh, false)
LANEWISE_REAL(area_sine, asinh, false)
LANEWISE_REAL(area_cosine, acosh, false)
LANEWISE_REAL(area_tangent, atanh, x < -1 || x > 1)
#undef LANEWISE_REAL

LANES_FN f64 cotangent(Outcome& outcome, f64 x) {
  outcome.failed |= x == 0;
  return 1 / tangent(outcome, x);
}
LANES_FN f64 based_log(Outcome& outcome, f64 base, f64 x) {
  const f64 divisor = decimal_log(outcome, base);
  outcome.failed |= divisor == 0;
  return decimal_log(outcome, x) / divisor;
}
/// With the sign of x, exact: in steps of as many bits as fit beyond a mantissa.
LANES_FN f64 real_remainder(Outcome&, f64 x, f64 y) {
  constexpr u64 kSign = u64(1) << 63, kHidden = u64(1) << 52;
  if (x != x || y != y) return x + y;
  if (x - x != 0 || y == 0) return real(0xfff8000000000000);
  const u64 sign = bits_of(x) & kSign, a = bits_of(x) ^ sign, b = bits_of(y) & ~kSign;
  if (a < b) return x;
  const u64 a_exponent = a >> 52, b_exponent = b >> 52;
  const u64 divisor = b_exponent ? (b & (kHidden - 1)) | kHidden : b;
  u64 rest = (a_exponent ? (a & (kHidden - 1)) | kHidden : a) % divisor;
  u64 exponent = b_exponent ? b_exponent : 1;
  for (u64 bits = (a_exponent ? a_exponent : 1) - exponent; bits > 0;) {
    const u64 step = bits < 11 ? bits : 11;
    rest = (rest << step) % divisor;
    bits -= step;
  }
  for (; exponent > 1 && rest && rest < kHidden; --exponent) rest <<= 1;
  return real(sign | (rest < kHidden ? rest : exponent << 52 | (rest & (kHidden - 1))));
}
LANES_FN f32 real_remainder(Outcome& outcome, f32 x, f32 y) {
  return f32(real_remainder(outcome, f64(x), f64(y)));
}
LANES_FN f64 power(Outcome&, f64 x, f64 y) { return LANEWISE_MATH(pow)(x, y); }
LANES_FN f64 arc_tangent2(Outcome&, f64 y, f64 x) { return LANEWISE_MATH(atan2)(y, x); }
LANES_FN f64 next_after(Outcome&, f64 x, f64 towards) { return LANEWISE_MATH(nextafter)(x, towards); }
LANES_FN f32 next_after(Outcome&, f32 x, f32 towards) { return LANEWISE_MATH(nextafterf)(x, towards); }
LANES_FN f64 pi(Outcome&) { return real(0x400921fb54442d18); }
LANES_FN f64 degrees(Outcome& outcome, f64 x) { return x * (180 / pi(outcome)); }
LANES_FN f64 radians(Outcome& outcome, f64 x) { return x * (pi(outcome) / 180); }

template <class T>
LANES_FN bool is_nan(Outcome&, T x) {
  return x != x;
}
template <class T>
LANES_FN bool is_infinite_real(Outcome&, T x) {
  return is_infinite_number(x);
}
template <class T>
LANES_FN bool is_finite_real(Outcome&, T x) {
  return x - x == 0;
}
template <class T>
LANES_FN bool sign_bit(Outcome&, T x) {
  return bits_of(x) >> (sizeof(T) * 8 - 1);
}
template <class T>
LANES_FN i8 sign(Outcome&, T x) {
  return i8((x > 0) - (x < 0));
}

// How a number becomes a whole one: a float, and an integer divided by a power of ten.
struct Floor {
  static LANES_FN f64 whole(f64 x) { return LANEWISE_MATH(floor)(x); }
  template <class T>
  static LANES_FN T quotient(T value, T power) {
    return T(value / power - (value % power < 0 ? 1 : 0));
  }
};
struct Ceil {
  static LANES_FN f64 whole(f64 x) { return LANEWISE_MATH(ceil)(x); }
  template <class T>
  static LANES_FN T quotient(T value, T power) {
    return T(value / power + (value % power > 0 ? 1 : 0));
  }
};
struct Trunc {
  static LANES_FN f64 whole(f64 x) { return LANEWISE_MATH(trunc)(x); }
  template <class T>
  static LANES_FN T quotient(T value, T power) {
    return T(value / power);
  }
};
/// Half away from zero.
struct Round {
  static LANES_FN f64 whole(f64 x) { return nearest_away(x); }
  template <class T>
  static LANES_FN T quotient(T value, T power) {
    const T rest = T(value % power);
    const bool away = (rest < 0 ? -rest : rest) >= power - power / 2;
    return T(value / power + (!away ? 0 : rest < 0 ? -1 : 1));
  }
};

template <class Mode, class T>
LANES_FN T whole_real(Outcome&, T x) {
  return T(Mode::whole(x));
}
/// For a decimal; power is 10^scale.
template <class Mode, class T>
LANES_FN T whole_decimal(Outcome&, T value, T power) {
  return Mode::quotient(value, power);
}
/// A float rounded to digits after the point (power is 10^digits), or before it. Where that goes beyond its
/// range, the value stays, or becomes `beyond` when it is rounded to more digits than it has.
template <class Mode, class T>
LANES_FN T digits_after(Outcome&, T x, f64 power) {
  const f64 result = Mode::whole(x * power) / power;
  return result - result == 0 ? T(result) : x;
}
template <class Mode, class T>
LANES_FN T digits_before(Outcome&, T x, f64 power, bool becomes_zero) {
  const f64 result = Mode::whole(x / power) * power;
  return result - result == 0 ? T(result) : becomes_zero ? T(0) : x;
}
/// An integer or decimal in units of `power`, times `factor`, which may be too much.
template <class Mode, class T>
LANES_FN T digits_of_integer(Outcome& outcome, T value, i128 power, i128 factor) {
  i128 result;
  outcome.failed |= multiply_overflows(Mode::quotient(i128(value), power), factor, result);
  outcome.failed |= i128(T(result)) != result;
  return T(result);
}
template <class T>
LANES_FN T digits_of_natural(Outcome&, T value, u128 power) {
  return T(u128(value) / power * power);
}
template <class T>
LANES_FN T zero(Outcome&, T) {
  return T(0);
}
LANES_FN f64 even(Outcome&, f64 x) {
  f64 result = LANEWISE_MATH(ceil)(magnitude(x));
  if (LANEWISE_MATH(floor)(result / 2) * 2 != result) result += 1;
  return x != x ? x : LANEWISE_MATH(copysign)(result, x);
}

template <class T>
LANES_FN T common_divisor(Outcome& outcome, T a, T b) {
  if ((a == lowest<T> && b == -1) || (a == -1 && b == lowest<T>)) return 1;
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return absolute(outcome, a);
}
template <class T>
LANES_FN T common_multiple(Outcome& outcome, T a, T b) {
  if (a == 0 || b == 0) return 0;
  T result = 0;
  const T divisor = common_divisor(outcome, a, b);
  if (outcome.failed) return 0;
  outcome.failed |= multiply_overflows(a, T(b / divisor), result);
  return absolute(outcome, result);
}
LANES_FN i128 factorial(Outcome& outcome, i32 value) {
  constexpr i32 kLargest = 33;
  outcome.failed |= value < 0 || value > kLargest;
  i128 result = 1;
  for (i32 i = 2; i <= value && i <= kLargest; i++) result *= i;
  return result;
}
template <class T>
LANES_FN i8 bit_count(Outcome&, T value) {
  i8 count = sizeof(T) == 16 ? i8(lanes::count_bits(u64(i128(value) >> 64))) : i8(0);
  return i8(count + lanes::count_bits(u64(value) & (~u64(0) >> (64 - 8 * (sizeof(T) < 8 ? sizeof(T) : 8)))));
}

#undef LANEWISE_MATH

}  // namespace lanewise::kernel
