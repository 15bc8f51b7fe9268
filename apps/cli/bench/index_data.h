#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "index/index.h"
#include "primitives/hash.h"

namespace lanewise::cli::bench {

/// Distinct keys in order, at even distances with noise, so that nobody need sort them; a key's value is its
/// place.
template <class Key>
struct IndexData {
  std::vector<Key> keys;
  std::vector<uint32_t> values;

  explicit IndexData(uint64_t count) : keys(count), values(count) {
    const uint64_t distance = static_cast<Key>(~Key{0}) / std::max<uint64_t>(count, 1);
    const uint64_t choices = std::max<uint64_t>(distance / 2, 1);
    for (uint64_t i = 0; i < count; ++i) {
      keys[i] = static_cast<Key>(i * distance + 2 * (hash::of_word(i) % choices));
    }
    std::iota(values.begin(), values.end(), 0);
  }

  /// Keys that are there, drawn with `seed`.
  std::vector<Key> queries(uint64_t count, uint64_t seed) const {
    std::vector<Key> drawn(count);
    std::mt19937_64 random(seed);
    for (Key& key : drawn) key = keys[random() % keys.size()];
    return drawn;
  }
  /// The same ones in order.
  std::vector<Key> sorted_queries(uint64_t count, uint64_t seed) const {
    std::vector<uint32_t> times(keys.size());
    std::mt19937_64 random(seed);
    for (uint64_t i = 0; i < count; ++i) ++times[random() % keys.size()];
    std::vector<Key> drawn;
    drawn.reserve(count);
    for (size_t i = 0; i < keys.size(); ++i) drawn.insert(drawn.end(), times[i], keys[i]);
    return drawn;
  }
  /// All over the index, and in no order: keys that are there, as many as there are; keys that are not.
  Key present(uint64_t i) const { return keys[i * 2654435761 % keys.size()]; }
  Key absent(uint64_t i) const { return static_cast<Key>(present(i) + 1); }
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
