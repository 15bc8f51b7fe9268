#pragma once

#include <cstdint>

#include "study/bench/index_data.h"

#if defined(LANEWISE_HAS_ABSL)
#include <absl/container/btree_map.h>
#endif

namespace lanewise::cli::bench {

#if defined(LANEWISE_HAS_ABSL)

/// The rival among trees in memory: absl::btree_map.
template <class Key>
class AbslTree {
 public:
  static constexpr bool kThere = true;

  explicit AbslTree(const IndexData<Key>& data) {
    for (size_t i = 0; i < data.keys.size(); ++i)
      tree_.emplace_hint(tree_.end(), data.keys[i], data.values[i]);
  }
  uint32_t find(Key key) const { return tree_.find(key)->second; }
  /// Calls f(key, value) for up to `limit` entries of [low, high).
  template <class F>
  void range(Key low, Key high, size_t limit, F f) const {
    for (auto at = tree_.lower_bound(low); limit-- > 0 && at != tree_.end() && at->first < high; ++at) {
      f(at->first, at->second);
    }
  }

 private:
  absl::btree_map<Key, uint32_t> tree_;
};

#else

/// This program was built where absl was not installed.
template <class Key>
struct AbslTree {
  static constexpr bool kThere = false;

  explicit AbslTree(const IndexData<Key>&) {}
  uint32_t find(Key) const { return 0; }
  template <class F>
  void range(Key, Key, size_t, F) const {}
};

#endif

}  // namespace lanewise::cli::bench
