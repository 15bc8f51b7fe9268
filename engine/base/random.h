#pragma once

#include <cstdint>

#include "base/int128.h"

namespace lanewise {

/// Pseudo-random numbers, the same on every machine (SplitMix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  /// A number below `bound`, which is not 0.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<uint128_t>(next()) * bound) >> 64);
  }

 private:
  uint64_t state_;
};

}  // namespace lanewise
