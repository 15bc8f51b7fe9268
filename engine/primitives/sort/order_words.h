#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/int128.h"
#include "data/interval.h"

namespace lanewise {

/// The number of order words of a T.
template <class T>
inline constexpr int kOrderWords = sizeof(T) > 8 ? 2 : 1;

/// Word `i` of a value as an unsigned number: values are ordered in SQL like their words, compared in
/// sequence. NaN is the greatest float, -0.0 is 0.0, and intervals are normalised.
template <class T>
uint64_t order_word(const T& value, [[maybe_unused]] int i) {
  constexpr uint64_t kTop = uint64_t{1} << 63;
  if constexpr (std::is_same_v<T, Interval>) {
    const NormalInterval normal = normalise(value);
    if (i == 1) return static_cast<uint64_t>(normal.micros) ^ kTop;
    return (static_cast<uint64_t>(normal.months) << 8 | (static_cast<uint8_t>(normal.days) ^ 0x80)) ^ kTop;
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
    if (std::isnan(value)) return static_cast<Bits>(~Bits{0});
    const Bits bits = std::bit_cast<Bits>(value == 0 ? T{0} : value);
    return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
  } else if constexpr (sizeof(T) == 16) {
    if (i == 1) return static_cast<uint64_t>(value);
    const auto high = static_cast<uint64_t>(static_cast<uint128_t>(value) >> 64);
    return std::is_same_v<T, int128_t> ? high ^ kTop : high;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ kTop;
  } else {
    return value;
  }
}

}  // namespace lanewise
