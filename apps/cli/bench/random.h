#pragma once

#include <cstdint>

#include "base/int128.h"
#include "primitives/scramble.h"

namespace lanewise::cli::bench {

/// The same numbers on every machine, from a seed (SplitMix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return hash::scramble(state_ += hash::kSplitMixStep); }
  /// 0 .. limit - 1; limit is not 0.
  uint64_t below(uint64_t limit) {
    return static_cast<uint64_t>(static_cast<uint128_t>(next()) * limit >> 64);
  }

 private:
  uint64_t state_;
};

/// Says of `rows` rows, one after the other, which are chosen: exactly `chosen` of them, each such set
/// equally likely, as after a Fisher-Yates shuffle, but in one pass (selection sampling).
class ExactShare {
 public:
  ExactShare(uint64_t chosen, uint64_t rows) : chosen_(chosen), rows_(rows) {}
  bool next(Random& random) {
    const bool yes = random.below(rows_--) < chosen_;
    chosen_ -= yes;
    return yes;
  }

 private:
  uint64_t chosen_, rows_;  // still to come
};

}  // namespace lanewise::cli::bench
