#pragma once

#include <cstdint>
#include <functional>

/// Data of the benchmarks. Nothing here includes a file of engine/, so that a fault there cannot hide in its
/// own input.
namespace lanewise::cli::bench {

/// Called regularly while data are generated; it throws if the user has cancelled.
using Checkpoint = std::function<void()>;

/// A bijection that mixes all bits: the finalizer of SplitMix64.
inline uint64_t scramble(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// The same numbers on every machine, from a seed (SplitMix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return scramble(state_ += 0x9e3779b97f4a7c15); }
  /// 0 .. limit - 1; limit is not 0.
  uint64_t below(uint64_t limit) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(next()) * limit >> 64);
  }
  /// 0 .. 1, without 1.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

/// Decides for each of `rows` rows in turn whether it is chosen: exactly `chosen` of them. Every set is
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
