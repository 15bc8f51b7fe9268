#pragma once

#include <concepts>
#include <string_view>

#include "data/interval.h"

/// SQL's total order of physical values. NaN equals itself and is greater than all other numbers, -0.0 equals
/// 0.0, strings compare as bytes, intervals by their normalised parts.
namespace lanewise::expr {

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
  return normalise(a) == normalise(b);
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
  return normalise(a) < normalise(b);
}

}  // namespace lanewise::expr
