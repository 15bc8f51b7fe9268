#pragma once

#include "data/kernels/values-inl.h"

namespace lanewise::kernel {

// Each of these is true if the exact result does not fit T, and then result holds its low bits.

template <class T>
LANES_FN bool add_overflows(T a, T b, T& result) {
  if constexpr (sizeof(T) < 8) {
    const i64 exact = i64(a) + i64(b);
    result = T(exact);
    return i64(result) != exact;
  } else if constexpr (is_signed<T>) {
    result = T(u128(a) + u128(b));
    return ((a ^ result) & (b ^ result)) < 0;  // the sign is neither's
  } else {
    result = a + b;
    return result < a;
  }
}

template <class T>
LANES_FN bool subtract_overflows(T a, T b, T& result) {
  if constexpr (sizeof(T) < 8) {
    const i64 exact = i64(a) - i64(b);
    result = T(exact);
    return i64(result) != exact;
  } else if constexpr (is_signed<T>) {
    result = T(u128(a) - u128(b));
    return ((a ^ b) & (a ^ result)) < 0;
  } else {
    result = a - b;
    return a < b;
  }
}

/// For two 128-bit numbers without signs.
LANES_FN bool multiply_overflows(u128 a, u128 b, u128& result) {
  const u64 a_high = u64(a >> 64), b_high = u64(b >> 64);
  const u128 low = u128(u64(a)) * u64(b);
  const u128 cross = a_high ? u128(a_high) * u64(b) : u128(b_high) * u64(a);
  result = low + (cross << 64);
  return (a_high && b_high) || cross >> 64 || result < low;
}

template <class T>
LANES_FN bool multiply_overflows(T a, T b, T& result) {
  if constexpr (sizeof(T) < 4 || (sizeof(T) == 4 && is_signed<T>)) {
    const i64 exact = i64(a) * i64(b);
    result = T(exact);
    return i64(result) != exact;
  } else if constexpr (sizeof(T) < 16) {
    const i128 exact = i128(a) * i128(b);
    result = T(exact);
    return i128(result) != exact;
  } else {
    const bool negative = (a < 0) != (b < 0);
    u128 size;
    const bool over = multiply_overflows(a < 0 ? -u128(a) : u128(a), b < 0 ? -u128(b) : u128(b), size);
    result = T(negative ? -size : size);
    return over || size > (u128(1) << 127) - (negative ? 0 : 1);
  }
}

/// The largest decimal of as many digits as T holds: 18 or 38.
template <class T>
inline constexpr T decimal_max =
    sizeof(T) == 8 ? T(999'999'999'999'999'999)
                   : T(i128(999'999'999'999'999'999) * 1'000'000'000'000'000'000 * 100 +
                       i128(999'999'999'999'999'999) * 100 + 99);

#define LANEWISE_SUM(name, overflows, sign)                                                           \
  /** Overflow fails. */                                                                              \
  template <class T>                                                                                  \
  LANES_FN T name(Outcome& outcome, T a, T b) {                                                       \
    if constexpr (is_float<T>) {                                                                      \
      return a sign b;                                                                                \
    } else {                                                                                          \
      T result;                                                                                       \
      outcome.failed |= overflows(a, b, result);                                                      \
      return result;                                                                                  \
    }                                                                                                 \
  }                                                                                                   \
  /** More digits than decimals have fail. */                                                         \
  template <class T>                                                                                  \
  LANES_FN T name##_decimal(Outcome& outcome, T a, T b) {                                             \
    T result;                                                                                         \
    outcome.failed |= overflows(a, b, result) || result > decimal_max<T> || result < -decimal_max<T>; \
    return result;                                                                                    \
  }                                                                                                   \
  /** Where the types rule out that the result does not fit. */                                       \
  template <class T>                                                                                  \
  LANES_FN T name##_fitting(Outcome&, T a, T b) {                                                     \
    return T(u128(a) sign u128(b));                                                                   \
  }
LANEWISE_SUM(plus, add_overflows, +)
LANEWISE_SUM(minus, subtract_overflows, -)
LANEWISE_SUM(times, multiply_overflows, *)
#undef LANEWISE_SUM

template <class T>
LANES_FN T ratio(Outcome&, T a, T b) {
  return a / b;
}

/// Whether the quotient does not exist (NULL) or does not fit (failed).
template <class T>
LANES_FN bool cannot_divide(Outcome& outcome, T a, T b) {
  outcome.null = b == 0;
  if constexpr (is_signed<T> && !is_float<T>) outcome.failed |= a == lowest<T> && b == T(-1);
  return outcome.null || outcome.failed;
}
template <class T>
LANES_FN T quotient(Outcome& outcome, T a, T b) {
  return cannot_divide(outcome, a, b) ? T(0) : T(a / b);
}
template <class T>
LANES_FN T remainder(Outcome& outcome, T a, T b) {
  return cannot_divide(outcome, a, b) ? T(0) : T(a % b);
}

/// The first of some values.
template <class T, class... Others>
LANES_FN T same(Outcome&, T a, Others...) {
  return a;
}
template <class T>
LANES_FN T negative(Outcome& outcome, T a) {
  if constexpr (is_float<T>) {
    return -a;
  } else {
    if constexpr (is_signed<T>) outcome.failed |= a == lowest<T>;
    return T(-u128(a));
  }
}
template <class T>
LANES_FN T absolute(Outcome& outcome, T a) {
  if constexpr (is_float<T>) {
    return magnitude(a);
  } else if constexpr (is_signed<T>) {
    return a < 0 ? negative(outcome, a) : a;
  } else {
    return a;
  }
}

template <class T>
LANES_FN T bit_and(Outcome&, T a, T b) {
  return T(a & b);
}
template <class T>
LANES_FN T bit_or(Outcome&, T a, T b) {
  return T(a | b);
}
template <class T>
LANES_FN T bit_xor(Outcome&, T a, T b) {
  return T(a ^ b);
}
template <class T>
LANES_FN T bit_not(Outcome&, T a) {
  return T(~a);
}
/// Fails where a bit or the sign is lost.
template <class T>
LANES_FN T shift_left(Outcome& outcome, T a, T by) {
  constexpr u32 kBits = sizeof(T) * 8 + (is_signed<T> ? 0 : 1);
  const bool negative = is_signed<T> && (a < 0 || by < 0);
  const bool far = by >= T(kBits),
             fits = !negative && (far ? a == 0 : by == 0 || u128(a) < u128(1) << (kBits - 1 - u32(by)));
  outcome.failed |= !fits;
  return fits && a != 0 ? T(u128(a) << u32(by)) : T(0);
}
template <class T>
LANES_FN T shift_right(Outcome&, T a, T by) {
  return by >= 0 && by < T(sizeof(T) * 8) ? T(a >> by) : T(0);
}

}  // namespace lanewise::kernel
