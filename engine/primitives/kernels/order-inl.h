#pragma once

#include "primitives/kernels/blocks-inl.h"

namespace lanewise::kernels {

/// Integers for min and max: T itself from 32 bits on; narrower ones are widened; floats become
/// integers of the same order, NaN in one form, greater than all.
template <class T>
struct Ordered {
  using type = std::conditional_t<sizeof(T) < 4, int32_t, T>;
  static LANES_FN type of(T value) { return value; }
  static LANES_FN T back(type value) { return T(value); }
};

template <class T, class Int>
struct OrderedFloat {
  using type = Int;
  static constexpr int kSign = sizeof(Int) * 8 - 1;
  static constexpr Int kNaN = sizeof(Int) == 4 ? Int(0x7fc00000) : Int(0x7ff8000000000000);
  static LANES_FN Int flip(Int raw) { return raw ^ Int(std::make_unsigned_t<Int>(raw >> kSign) >> 1); }
  static LANES_FN Int of(T value) {
    Int raw;
    __builtin_memcpy(&raw, &value, sizeof raw);
    return value != value ? kNaN : flip(raw);
  }
  /// The same for a vector.
  template <class V>
  static LANES_FN auto from(V v) {
    using I = Vector<Int, sizeof(V) / sizeof(Int)>;
    const I raw = (I)v;
    const I ordered =
        raw ^ (I)((Vector<std::make_unsigned_t<Int>, sizeof(V) / sizeof(Int)>)(raw >> kSign) >> 1);
    return v != v ? I{} + kNaN : ordered;
  }
  static LANES_FN T back(Int value) {
    const Int raw = flip(value);
    T result;
    __builtin_memcpy(&result, &raw, sizeof raw);
    return result;
  }
};
template <>
struct Ordered<float> : OrderedFloat<float, int32_t> {};
template <>
struct Ordered<double> : OrderedFloat<double, int64_t> {};

template <class Int>
struct Limits {
  static constexpr bool kSigned = Int(-1) < Int(0);
  static constexpr Int kMin = kSigned ? Int(std::make_unsigned_t<Int>(1) << (sizeof(Int) * 8 - 1)) : Int(0);
  static constexpr Int kMax = Int(~kMin);
};

}  // namespace lanewise::kernels
