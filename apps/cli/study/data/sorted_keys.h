#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "study/data/random.h"

namespace lanewise::cli::bench {

/// Distinct keys in ascending order, at even distances with noise, so that they need no sorting. A key's
/// value is its position.
template <class Key>
struct SortedKeys {
  std::vector<Key> keys;
  std::vector<uint32_t> values;

  explicit SortedKeys(uint64_t count) : keys(count), values(count) {
    const uint64_t distance = static_cast<Key>(~Key{0}) / std::max<uint64_t>(count, 1);
    const uint64_t choices = std::max<uint64_t>(distance / 2, 1);
    for (uint64_t i = 0; i < count; ++i) {
      keys[i] = static_cast<Key>(i * distance + 2 * (scramble(i + 1) % choices));
    }
    std::iota(values.begin(), values.end(), 0);
  }

  /// Present keys, drawn with `seed`.
  std::vector<Key> queries(uint64_t count, uint64_t seed) const {
    std::vector<Key> drawn(count);
    std::mt19937_64 random(seed);
    for (Key& key : drawn) key = keys[random() % keys.size()];
    return drawn;
  }
  /// The same keys in order.
  std::vector<Key> sorted_queries(uint64_t count, uint64_t seed) const {
    std::vector<uint32_t> times(keys.size());
    std::mt19937_64 random(seed);
    for (uint64_t i = 0; i < count; ++i) ++times[random() % keys.size()];
    std::vector<Key> drawn;
    drawn.reserve(count);
    for (size_t i = 0; i < keys.size(); ++i) drawn.insert(drawn.end(), times[i], keys[i]);
    return drawn;
  }
  /// Keys over the whole index in random order: as many present ones as it holds, and absent ones.
  Key present(uint64_t i) const { return keys[i * 2654435761 % keys.size()]; }
  Key absent(uint64_t i) const { return static_cast<Key>(present(i) + 1); }
};

}  // namespace lanewise::cli::bench
