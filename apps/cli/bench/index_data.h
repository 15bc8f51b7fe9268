#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "index/index.h"
#include "primitives/hash.h"
#include "primitives/scramble.h"

namespace lanewise::cli::bench {

/// A counter, scrambled without collisions.
template <class Key>
Key scrambled(uint64_t i) {
  return hash::scramble(sizeof(Key) == 4 ? static_cast<Key>(i) : static_cast<Key>(i + hash::kSplitMixStep));
}

/// Distinct keys in order; a key's value is its place.
template <class Key>
struct IndexData {
  std::vector<Key> keys;
  std::vector<uint32_t> values;

  explicit IndexData(uint64_t count) : keys(count), values(count) {
    for (uint64_t i = 0; i < count; ++i) keys[i] = scrambled<Key>(i);
    std::sort(keys.begin(), keys.end());
    std::iota(values.begin(), values.end(), 0);
  }

  /// Keys that are there, drawn with `seed`.
  std::vector<Key> queries(uint64_t count, uint64_t seed) const {
    std::vector<Key> drawn(count);
    std::mt19937_64 random(seed);
    for (Key& key : drawn) key = scrambled<Key>(random() % keys.size());
    return drawn;
  }
  IndexOptions options(uint32_t node_keys = 0) const {
    IndexOptions made;
    made.key = {{sizeof(Key) == 4 ? TypeId::kUInt32 : TypeId::kUInt64}};
    made.value_bytes = 4;
    made.leaf_keys = node_keys;
    made.inner_keys = node_keys;
    return made;
  }
  Index index(uint32_t node_keys = 0) const {
    Index made(options(node_keys));
    made.load(keys, values);
    return made;
  }
};

template <class T>
uint64_t digest_of(std::span<const T> values) {
  uint64_t hash = values.size();
  for (const T value : values) hash = hash::of_word((hash << 23 | hash >> 41) ^ value);
  return hash;
}

/// A sorted array in the order of a heap, four levels ahead asked for (Khuong and Morin, "Array layouts for
/// comparison-based searching", 2017).
template <class Key>
struct Eytzinger {
  std::vector<Key> keys;
  std::vector<uint32_t> values;

  explicit Eytzinger(const IndexData<Key>& data) : keys(data.keys.size() + 1), values(keys.size()) {
    size_t next = 0;
    fill(data, 1, next);
  }
  uint32_t find(Key key) const {
    size_t node = 1;
    while (node < keys.size()) {
      __builtin_prefetch(keys.data() + node * (64 / sizeof(Key)));
      node = 2 * node + (keys[node] < key);
    }
    return values[node >> __builtin_ffsll(static_cast<long long>(~node))];
  }

 private:
  void fill(const IndexData<Key>& data, size_t node, size_t& next) {
    if (node >= keys.size()) return;
    fill(data, 2 * node, next);
    keys[node] = data.keys[next];
    values[node] = data.values[next++];
    fill(data, 2 * node + 1, next);
  }
};

}  // namespace lanewise::cli::bench
