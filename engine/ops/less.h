#pragma once

#include <cmath>
#include <type_traits>

#include "data/interval.h"

namespace lanewise::ops {

/// SQL's order of physical values: NaN is greater than all numbers, intervals compare in normal form, strings
/// as bytes.
template <class T>
bool less(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  } else if constexpr (std::is_same_v<T, Interval>) {
    return normalise(a) < normalise(b);
  } else {
    return a < b;
  }
}

/// Whether physical values are equal for functions that count values: NaN does not equal NaN.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b;
  } else {
    return !less(a, b) && !less(b, a);
  }
}

}  // namespace lanewise::ops
