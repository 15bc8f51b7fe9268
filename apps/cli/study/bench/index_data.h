#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/index.h"
#include "primitives/groups/hash.h"
#include "study/data/sorted_keys.h"

namespace lanewise::cli::bench {

/// The keys, and indexes of them.
template <class Key>
struct IndexData : SortedKeys<Key> {
  using SortedKeys<Key>::SortedKeys;

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
    made.load(this->keys, this->values);
    return made;
  }
};

template <class T>
uint64_t digest_of(std::span<const T> values) {
  uint64_t hash = values.size();
  for (const T value : values) hash = hash::of_word((hash << 23 | hash >> 41) ^ value);
  return hash;
}

/// A sorted array in the order of a heap, with four levels prefetched (Khuong and Morin, "Array layouts for
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
