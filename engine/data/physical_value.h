#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "data/type.h"
#include "data/value.h"

namespace lanewise {

/// A physical value of `type` as a Value.
template <class T>
Value to_value(Type type, const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return {type, std::string(value)};
  } else if constexpr (std::is_same_v<T, Interval>) {
    return {type, value};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {type, static_cast<double>(value)};
  } else {
    if (type.is_unsigned_integer()) return {type, static_cast<uint128_t>(value)};
    return {type, static_cast<int128_t>(value)};
  }
}

/// The physical value of a Value that is not NULL; T is value.type()'s physical type. A string_view points
/// into `value`.
template <class T>
T from_value(const Value& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return value.text();
  } else if constexpr (std::is_same_v<T, Interval>) {
    return value.interval();
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.real());
  } else {
    if (std::holds_alternative<uint128_t>(value.held())) return static_cast<T>(value.natural());
    return static_cast<T>(value.integer());
  }
}

}  // namespace lanewise
