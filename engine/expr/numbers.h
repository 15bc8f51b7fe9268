#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "base/int128.h"
#include "data/type.h"

/// Shared by functions on numbers: choosing the C++ type, decimal bounds, naming values in messages.
namespace lanewise::expr {

template <class T>
inline constexpr bool is_integer =
    std::is_integral_v<T> || std::is_same_v<T, int128_t> || std::is_same_v<T, uint128_t>;
template <class T>
inline constexpr bool is_signed = std::is_signed_v<T> || std::is_same_v<T, int128_t>;
template <class T>
inline constexpr bool is_number = is_integer<T> || std::is_floating_point_v<T>;

template <class T>
constexpr T lowest() {
  if constexpr (!is_signed<T>) {
    return 0;
  } else if constexpr (std::is_same_v<T, int128_t>) {
    return static_cast<T>(uint128_t{1} << 127);
  } else {
    return std::numeric_limits<T>::lowest();
  }
}
template <class T>
constexpr T highest() {
  if constexpr (std::is_same_v<T, int128_t>) {
    return ~lowest<T>();
  } else if constexpr (std::is_same_v<T, uint128_t>) {
    return ~uint128_t{0};
  } else {
    return std::numeric_limits<T>::max();
  }
}

/// 10^digits, 0 <= digits <= 38.
constexpr int128_t power_of_ten(int digits) {
  int128_t power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  return power;
}
/// The largest unscaled decimal in T: 18 or 38 nines.
template <class T>
inline constexpr T kDecimalMax = static_cast<T>(power_of_ten(sizeof(T) == 8 ? 18 : 38) - 1);

/// Calls f with the C++ type of a physical integer, or of an integer or float.
template <class F>
decltype(auto) visit_integer(Physical physical, F f) {
  return visit(physical, [&](auto zero) -> decltype(f(int64_t{})) {
    if constexpr (is_integer<decltype(zero)>) return f(zero);
    throw InternalError("an integer is expected");
  });
}
template <class F>
decltype(auto) visit_number(Physical physical, F f) {
  return visit(physical, [&](auto zero) -> decltype(f(int64_t{})) {
    if constexpr (is_number<decltype(zero)>) return f(zero);
    throw InternalError("a number is expected");
  });
}

/// The physical type as messages name it: "INT32", "UINT8", "DOUBLE".
std::string_view internal_name(Physical physical);

template <class T>
std::string number_text(T value) {
  if constexpr (is_signed<T>) return to_string(static_cast<int128_t>(value));
  return to_string(static_cast<uint128_t>(value));
}

}  // namespace lanewise::expr
