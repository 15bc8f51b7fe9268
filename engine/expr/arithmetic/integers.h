#pragma once

#include <cmath>
#include <optional>

#include "expr/numbers.h"
#include "expr/vectors/loops.h"

/// Division and bit operations of single values.
namespace lanewise::expr {

[[noreturn]] void division_overflow(const std::string& a, const std::string& b);

template <class T>
void check_division(T a, T b) {
  if constexpr (is_signed<T> && is_integer<T>) {
    if (a == lowest<T>() && b == T(-1)) division_overflow(number_text(a), number_text(b));
  }
}

template <class T>
std::optional<T> quotient(const Site&, T a, T b) {
  if (b == 0) return std::nullopt;
  check_division(a, b);
  return static_cast<T>(a / b);
}

template <class T>
std::optional<T> remainder(const Site&, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return std::nullopt;
    check_division(a, b);
    return static_cast<T>(a % b);
  }
}

template <class T>
T ratio(const Site&, T a, T b) {
  return a / b;
}

template <class T>
T negative(const Site&, T a) {
  if constexpr (is_signed<T> && is_integer<T>) {
    if (a == lowest<T>()) throw UserError("Overflow in negation of numeric value!");
  }
  return static_cast<T>(-a);
}

template <class T>
T bit_and(const Site&, T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T bit_or(const Site&, T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T bit_xor(const Site&, T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T bit_not(const Site&, T a) {
  return static_cast<T>(~a);
}

template <class T>
T shift_left(const Site&, T a, T by) {
  constexpr int kBits = sizeof(T) * 8 + (is_signed<T> ? 0 : 1);
  if constexpr (is_signed<T>) {
    if (a < 0) throw UserError("Cannot left-shift negative number " + number_text(a));
    if (by < 0) throw UserError("Cannot left-shift by negative number " + number_text(by));
  }
  if (by >= static_cast<T>(kBits)) {
    if (a == 0) return 0;
    throw UserError("Left-shift value " + number_text(by) + " is out of range");
  }
  if (by == 0 || a == 0) return a;  // 0 may be moved by all bits of T
  if (a >= static_cast<T>(T{1} << (kBits - static_cast<int>(by) - 1))) {
    throw UserError("Overflow in left shift (" + number_text(a) + " << " + number_text(by) + ")");
  }
  return static_cast<T>(a << by);
}

template <class T>
T shift_right(const Site&, T a, T by) {
  const bool in_range = by >= 0 && by < static_cast<T>(sizeof(T) * 8);
  return in_range ? static_cast<T>(a >> by) : T{0};
}

}  // namespace lanewise::expr
