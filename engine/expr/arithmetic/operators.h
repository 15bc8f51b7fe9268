#pragma once

#include <optional>

#include "data/physical_value.h"
#include "expr/numbers.h"

/// The sum, difference and product of two numbers of one type. `run` writes the result, wrapped around if
/// it does not fit, and returns whether it failed; `fail` raises the error.
namespace lanewise::expr {

enum class Sign : char { kPlus = '+', kMinus = '-', kTimes = '*' };

[[noreturn]] void overflow(Sign sign, std::string_view type, const std::string& a, const std::string& b);
[[noreturn]] void decimal_overflow(Sign sign, bool wide, const std::string& a, const std::string& b);

/// The exact result wrapped to T; true if it does not fit T.
template <Sign sign, class T>
inline bool overflows(T a, T b, T& result) {
  if constexpr (sign == Sign::kPlus) {
    return __builtin_add_overflow(a, b, &result);
  } else if constexpr (sign == Sign::kMinus) {
    return __builtin_sub_overflow(a, b, &result);
  } else if constexpr (std::is_same_v<T, int128_t>) {
    // Usually both fit in 64 bits: one multiplication instead of a call.
    const auto low_a = static_cast<int64_t>(a);
    const auto low_b = static_cast<int64_t>(b);
    if (low_a == a && low_b == b) {
      result = static_cast<int128_t>(low_a) * low_b;
      return false;
    }
    return __builtin_mul_overflow(a, b, &result);
  } else {
    return __builtin_mul_overflow(a, b, &result);
  }
}

template <Sign sign, class Number>
struct IntegerOperator {
  using T = Number;
  static constexpr Sign kSign = sign;
  static constexpr bool kChecked = true;   ///< the exact result may not fit T
  static constexpr bool kBounded = false;  ///< or be beyond kDecimalMax<T>
  static bool run(T a, T b, T& result) { return overflows<sign>(a, b, result); }
  [[noreturn]] static void fail(T a, T b, Physical physical) {
    overflow(sign, internal_name(physical), number_text(a), number_text(b));
  }
};

/// T is int64_t or int128_t; the result has at most as many digits as kDecimalMax<T>.
template <Sign sign, class Number>
struct DecimalOperator {
  using T = Number;
  static constexpr Sign kSign = sign;
  static constexpr bool kChecked = true;
  static constexpr bool kBounded = true;
  static bool run(T a, T b, T& result) {
    const bool wrapped = overflows<sign>(a, b, result);
    return wrapped | (result > kDecimalMax<T>) | (result < -kDecimalMax<T>);
  }
  [[noreturn]] static void fail(T a, T b, Physical) {
    decimal_overflow(sign, sizeof(T) == 16, number_text(a), number_text(b));
  }
};

/// For types that rule out an overflow of the digits.
template <Sign sign, class Number>
struct UncheckedOperator {
  using T = Number;
  static constexpr Sign kSign = sign;
  static constexpr bool kChecked = false;
  static constexpr bool kBounded = false;
  static bool run(T a, T b, T& result) {
    if constexpr (std::is_floating_point_v<T>) {
      result = sign == Sign::kPlus ? a + b : sign == Sign::kMinus ? a - b : a * b;
    } else {
      overflows<sign>(a, b, result);
    }
    return false;
  }
  static void fail(T, T, Physical) {}
};

}  // namespace lanewise::expr
