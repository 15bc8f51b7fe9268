#pragma once

#include <cmath>
#include <limits>

#include "base/error.h"
#include "data/packed.h"

namespace lanewise::packed {

namespace ordering {

template <size_t bytes>
struct Bits {
  using Type = std::conditional_t<
      bytes == 1, uint8_t,
      std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
};
template <>
struct Bits<16> {
  using Type = uint128_t;
};
template <class T>
using BitsOf = typename Bits<sizeof(T)>::Type;

template <class T>
inline constexpr bool is_signed = std::is_signed_v<T> || std::is_same_v<T, int128_t>;

inline uint8_t swap(uint8_t bits) { return bits; }
inline uint16_t swap(uint16_t bits) { return __builtin_bswap16(bits); }
inline uint32_t swap(uint32_t bits) { return __builtin_bswap32(bits); }
inline uint64_t swap(uint64_t bits) { return __builtin_bswap64(bits); }
inline uint128_t swap(uint128_t bits) {
  return uint128_t{swap(static_cast<uint64_t>(bits))} << 64 | swap(static_cast<uint64_t>(bits >> 64));
}

}  // namespace ordering

template <class T>
auto ordered(T value) {
  using Bits = ordering::BitsOf<T>;
  constexpr Bits kTop = Bits{1} << (sizeof(T) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    const auto bits = std::bit_cast<Bits>(value);
    return static_cast<Bits>((bits & kTop) != 0 ? ~bits : bits | kTop);
  } else {
    return static_cast<Bits>(static_cast<Bits>(value) ^ (ordering::is_signed<T> ? kTop : Bits{0}));
  }
}

template <class T>
T unordered(const char* bytes) {
  if constexpr (std::is_same_v<T, Interval>) {
    return {unordered<int32_t>(bytes), unordered<int32_t>(bytes + 4), unordered<int64_t>(bytes + 8)};
  } else {
    using Bits = ordering::BitsOf<T>;
    constexpr Bits kTop = Bits{1} << (sizeof(T) * 8 - 1);
    Bits bits;
    std::memcpy(&bits, bytes, sizeof(T));
    bits = ordering::swap(bits);
    if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<T>(static_cast<Bits>((bits & kTop) != 0 ? bits ^ kTop : ~bits));
    } else {
      return static_cast<T>(static_cast<Bits>(bits ^ (ordering::is_signed<T> ? kTop : Bits{0})));
    }
  }
}

template <class T>
void Writer::bytes(T value) {
  if constexpr (std::is_same_v<T, Interval>) {
    bytes(value.months);
    bytes(value.days);
    bytes(value.micros);
  } else {
    const auto bits = ordering::swap(ordered(value));
    out_.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
}

}  // namespace lanewise::packed
