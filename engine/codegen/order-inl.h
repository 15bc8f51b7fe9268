#pragma once

#include "codegen/rows-inl.h"
#include "expr/gpu/bytes-inl.h"

/// ORDER BY: maps values to unsigned numbers in the same order.
namespace lanewise::kernel {

template <class T>
struct OrderBits {
  using Type = u64;
};
template <>
struct OrderBits<i128> {
  using Type = u128;
};
template <>
struct OrderBits<u128> {
  using Type = u128;
};

/// Returns an unsigned number with as many bits as T, in SQL's order of the values: both zeros are equal, and
/// all NaNs are equal and greatest. The order is descending if `kDown` is true.
template <bool kDown, class T>
LANES_FN typename OrderBits<T>::Type order_of(T value) {
  using Bits = typename OrderBits<T>::Type;
  constexpr Bits kTop = Bits(1) << (sizeof(T) * 8 - 1), kAll = kTop | (kTop - 1);
  Bits bits;
  if constexpr (is_float<T>) {
    bits = bits_of(value != value ? T(real(0x7ff8000000000000)) : value == T(0) ? T(0) : value);
    bits = bits & kTop ? ~bits : bits | kTop;
  } else {
    bits = is_signed<T> ? Bits(value) ^ kTop : Bits(value);
  }
  return (kDown ? ~bits : bits) & kAll;
}
template <bool kDown>
LANES_FN u64 order_of(bool value) {
  return value != kDown;
}
template <bool kDown>
LANES_FN u128 order_of(Interval value) {
  const NormalInterval normal = normalised(value);
  const u64 high = (u64(normal.months) << 8 | u8(normal.days ^ 0x80)) ^ u64(1) << 63;
  const u128 bits = u128(whole(high, u64(normal.micros) ^ u64(1) << 63));
  return kDown ? ~bits : bits;
}

#if defined(__CUDACC__)

/// Raises `greatest` to the greatest `value` of all threads. Every thread of a warp must call it.
LANES_FN void note_greatest(u32 value, u32* greatest) {
  for (u32 distance = 16; distance; distance /= 2) {
    const u32 other = __shfl_xor_sync(~0u, value, distance);
    value = value < other ? other : value;
  }
  if (lane() == 0 && value) atomicMax(greatest, value);
}

#endif

}  // namespace lanewise::kernel
