#pragma once

#include "data/kernels/values-inl.h"

/// Casts between numbers, decimals, dates and timestamps, as expr/casts/ does them on the host. What decides
/// a decimal's digits comes as further arguments, which are constants of the source.
namespace lanewise::kernel {

template <class To, class From>
LANES_FN bool in_range(From value) {
  if (is_signed<From> && value < 0) return is_signed<To> && i128(value) >= i128(lowest<To>);
  return u128(value) <= u128(highest<To>);
}

LANES_FN bool is_finite(f64 value) { return value - value == 0; }

/// A 128-bit integer becomes a float by its halves, which are rounded one by one.
template <class To, class From>
LANES_FN To real_of(From value) {
  constexpr f64 kHigh = 18446744073709551616.0;
  if constexpr (sizeof(From) < 16) {
    return To(value);
  } else {
    if (is_signed<From> && i64(value >> 64) == -1) return To(-f64(~u64(value)) - 1);
    const f64 high = is_signed<From> ? f64(i64(value >> 64)) : f64(u64(value >> 64));
    return To(f64(u64(value)) + high * kHigh);
  }
}

/// Rounded half to even.
template <class To, class From>
LANES_FN To rounded(Outcome& outcome, From value) {
  const From near = nearest(value);
  constexpr From low = From(f64(lowest<To>));
  constexpr From high = From(2 * f64(u128(1) << (sizeof(To) * 8 - (is_signed<To> ? 2 : 1))));
  const bool fits = is_finite(value) && (sizeof(To) == 16 ? near >= low : value >= low) && near < high;
  outcome.failed |= !fits;
  return fits ? To(near) : To(0);
}

/// To a number that is not a decimal.
template <class To, class From>
LANES_FN To to_number(Outcome& outcome, From value) {
  if constexpr (is_float<From> && is_float<To>) {
    const To result = To(value);
    outcome.failed |= sizeof(To) < sizeof(From) && !is_finite(result) && is_finite(value);
    return result;
  } else if constexpr (is_float<From>) {
    return rounded<To>(outcome, value);
  } else if constexpr (is_float<To>) {
    return real_of<To>(value);
  } else {
    outcome.failed |= !in_range<To>(value);
    return To(value);
  }
}

template <class From>
LANES_FN bool to_bool(Outcome&, From value) {
  return value != 0;
}

/// Rounded half away from zero; divisor is a power of ten.
template <class T>
LANES_FN T divide_rounded(T value, T divisor) {
  if (divisor == 1) return value;
  const T halves = value / (divisor / 2);
  return (halves < 0 ? halves - 1 : halves + 1) / 2;
}

/// From an integer; factor is 10^scale, limit 10^(precision - scale).
template <class To, class From>
LANES_FN To integer_to_decimal(Outcome& outcome, From value, i128 factor, i128 limit) {
  outcome.failed |= (is_signed<From> && i128(value) <= -limit) || (value > 0 && u128(value) >= u128(limit));
  return To(u128(value) * u128(factor));
}

/// From a float; power is 10^scale, limit 10^precision.
template <class To, class From>
LANES_FN To real_to_decimal(Outcome& outcome, From value, f64 power, f64 limit) {
  const f64 near = nearest_away(f64(value) * power);
  const bool fits = near > -limit && near < limit;
  outcome.failed |= !fits;
  return fits ? To(nearest(From(near))) : To(0);
}

/// To an integer; divisor is 10^scale.
template <class To, class From>
LANES_FN To decimal_to_integer(Outcome& outcome, From value, From divisor) {
  const From near = divide_rounded(value, divisor);
  outcome.failed |= !in_range<To>(near);
  return To(near);
}

/// To a float; divisor and power are 10^scale. Exact quotients are divided once, else the whole part and the
/// fraction are converted apart.
template <class To, class From>
LANES_FN To decimal_to_real(Outcome&, From value, From divisor, To power) {
  constexpr From limit = From(1) << (sizeof(To) == 4 ? 24 : 53);
  if (divisor == 1 || (value <= limit && value >= -limit)) return real_of<To>(value) / power;
  return real_of<To>(value / divisor) + real_of<To>(value % divisor) / power;
}

/// To a decimal of as many or more digits after the point; limit: values from there on do not fit.
template <class To, class From>
LANES_FN To widened_decimal(Outcome& outcome, From value, i128 factor, i128 limit) {
  outcome.failed |= i128(value) >= limit || i128(value) <= -limit;
  return To(u128(value) * u128(factor));
}

/// To a decimal of fewer digits after the point.
template <class To, class From>
LANES_FN To shortened_decimal(Outcome& outcome, From value, From divisor, i128 limit) {
  const From near = divide_rounded(value, divisor);
  outcome.failed |= i128(near) >= limit || i128(near) <= -limit;
  return To(near);
}

}  // namespace lanewise::kernel
