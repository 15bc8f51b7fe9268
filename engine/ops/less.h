#pragma once

#include <cmath>
#include <type_traits>

#include "data/type.h"
#include "primitives/groups/key_words.h"

namespace lanewise::ops {

/// SQL's order of physical values: NaN is greater than all numbers, intervals compare in normal form, strings
/// as bytes.
template <class T>
bool less(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  } else if constexpr (std::is_same_v<T, Interval>) {
    const NormalInterval x = normalise(a);
    const NormalInterval y = normalise(b);
    if (x.months != y.months) return x.months < y.months;
    return x.days != y.days ? x.days < y.days : x.micros < y.micros;
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
