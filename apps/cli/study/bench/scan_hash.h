#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "primitives/groups/hash.h"

namespace lanewise::cli::bench {

/// Rows between two checks for cancellation. Each slice has a hash of its own, and the sum of all does not
/// depend on the order in which threads take them.
inline constexpr size_t kScanSlice = 1 << 16;

/// The order of words matters, unlike in the study of 2019, whose hash does not notice moved bytes.
inline uint64_t fold(uint64_t hash, uint64_t word) { return hash::of_word(std::rotl(hash, 23) ^ word); }

template <class T>
uint64_t bits_of_value(T value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

inline uint64_t hash_of_sum(int64_t sum) {
  return fold(static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> 63));
}

template <class T>
uint64_t hash_of_bounds(T least, T most) {
  return fold(bits_of_value(least), bits_of_value(most));
}

}  // namespace lanewise::cli::bench
