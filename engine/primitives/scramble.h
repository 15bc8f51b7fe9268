#pragma once

#include <cstdint>

namespace lanewise::hash {

/// Bijections that mix all bits, so that a counter yields distinct pseudo-random numbers: the finalizers of
/// Murmur 3 (32 bits) and SplitMix64.
inline uint32_t scramble(uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}
inline uint64_t scramble(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}
/// What SplitMix64 adds to its state before each number.
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

}  // namespace lanewise::hash
