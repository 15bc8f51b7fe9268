#pragma once

#include <concepts>
#include <string_view>
#include <tuple>

#include "data/type.h"
#include "primitives/groups/key_words.h"

/// SQL's total order of physical values. NaN equals itself and is greater than all other numbers, -0.0 equals
/// 0.0, strings compare as bytes, intervals by their normalised parts.
namespace lanewise::expr {

/// The key by which intervals are compared.
inline std::tuple<int64_t, int64_t, int64_t> normalised(const Interval& value) {
  const NormalInterval normal = normalise(value);
  return {normal.months, normal.days, normal.micros};
}

template <class T>
inline bool equal(const T& a, const T& b) {
  return a == b;
}
template <std::floating_point T>
inline bool equal(const T& a, const T& b) {
  return (a == b) | ((a != a) & (b != b));
}
template <>
inline bool equal(const Interval& a, const Interval& b) {
  return normalised(a) == normalised(b);
}

template <class T>
inline bool less(const T& a, const T& b) {
  return a < b;
}
template <std::floating_point T>
inline bool less(const T& a, const T& b) {
  return (a < b) | ((b != b) & (a == a));
}
template <>
inline bool less(const Interval& a, const Interval& b) {
  return normalised(a) < normalised(b);
}

}  // namespace lanewise::expr
