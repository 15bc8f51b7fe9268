#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "lanes/targets/target.h"
#include "study/bench/index_data.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanewise::cli::bench {

/// A static B+ tree without pointers, the "S+ tree" of Slotin ("Static B-trees", in "Algorithms for modern
/// hardware", 2022). Nodes have 16 keys, a child is found by arithmetic, and a node is searched by counting
/// the smaller keys with vectors. Khuong and Morin (2017) have its layout in one tree of all levels.
template <class Key>
class StaticTree {
 public:
  explicit StaticTree(const IndexData<Key>& data) : values_(data.values) {
    const size_t count = data.keys.size();
    std::vector<size_t> layers;  // numbers of keys, leaves first
    for (size_t keys = count;; keys = above(keys)) {
      layers.push_back((keys + kNode - 1) / kNode * kNode);
      if (keys <= kNode) break;
    }
    size_t end = 0;
    for (const size_t layer : layers) starts_.push_back(end), end += layer;
    keys_.assign(end / kNode, full_node());
    for (size_t i = 0; i < count; ++i) at(i) = ordered(data.keys[i]);
    size_t subtree = 1;  // leaves below a child
    for (size_t level = 1; level < layers.size(); ++level, subtree *= kNode + 1) {
      for (size_t i = 0; i < layers[level]; ++i) {
        const size_t child = (i / kNode) * (kNode + 1) + i % kNode + 1, first = child * subtree * kNode;
        if (first < count) at(starts_[level] + i) = at(first);
      }
    }
  }

  /// The value of each key; all keys are present.
  void find(std::span<const Key> queries, uint32_t* answers) const {
#if defined(__x86_64__)
    if (lanes::supported(lanes::Target::avx2)) return find_avx2(queries, answers);
#endif
    for (size_t q = 0; q < queries.size(); ++q) {
      answers[q] = values_[descend(ordered(queries[q]), [](const Node& node, Signed key) {
        size_t less = 0;
        for (const Signed other : node.keys) less += other < key;
        return less;
      })];
    }
  }

 private:
  static constexpr size_t kNode = 16;
  using Signed = std::make_signed_t<Key>;  // vectors compare signed numbers only
  struct alignas(64) Node {
    Signed keys[kNode];
  };

  static Signed ordered(Key key) {
    return static_cast<Signed>(key ^ (Key{1} << (std::numeric_limits<Key>::digits - 1)));
  }
  static Node full_node() {
    Node node;
    std::fill(std::begin(node.keys), std::end(node.keys), std::numeric_limits<Signed>::max());
    return node;
  }
  /// How many keys the layer above so many keys has.
  static size_t above(size_t keys) {
    const size_t nodes = (keys + kNode - 1) / kNode;
    return (nodes + kNode) / (kNode + 1) * kNode;
  }
  Signed& at(size_t key) { return keys_[key / kNode].keys[key % kNode]; }

  template <class Rank>
  __attribute__((always_inline)) size_t descend(Signed key, Rank rank) const {
    size_t position = 0;
    for (size_t level = starts_.size() - 1; level > 0; --level) {
      position = position * (kNode + 1) + rank(keys_[(starts_[level] + position) / kNode], key) * kNode;
    }
    return position + rank(keys_[position / kNode], key);
  }

#if defined(__x86_64__)
  __attribute__((target("avx2,popcnt"))) void find_avx2(std::span<const Key> queries,
                                                        uint32_t* answers) const {
    for (size_t q = 0; q < queries.size(); ++q) {
      const Signed key = ordered(queries[q]);
      size_t position = 0;
      for (size_t level = starts_.size(); level-- > 0;) {
        const auto* node = reinterpret_cast<const __m256i*>(&keys_[(starts_[level] + position) / kNode]);
        size_t less = 0;
        if constexpr (sizeof(Key) == 4) {
          const __m256i wanted = _mm256_set1_epi32(key);
          const __m256i low = _mm256_cmpgt_epi32(wanted, node[0]), high = _mm256_cmpgt_epi32(wanted, node[1]);
          const int both = _mm256_movemask_epi8(_mm256_packs_epi32(low, high));
          less = static_cast<size_t>(__builtin_popcount(static_cast<unsigned>(both))) / 2;
        } else {
          const __m256i wanted = _mm256_set1_epi64x(key);
          for (int i = 0; i < 4; ++i) {
            const __m256i below = _mm256_cmpgt_epi64(wanted, node[i]);
            const int bits = _mm256_movemask_pd(_mm256_castsi256_pd(below));
            less += static_cast<size_t>(__builtin_popcount(static_cast<unsigned>(bits)));
          }
        }
        position = level > 0 ? position * (kNode + 1) + less * kNode : position + less;
      }
      answers[q] = values_[position];
    }
  }
#endif

  std::vector<Node> keys_;
  std::vector<size_t> starts_;  // of the layers, in keys
  const std::vector<uint32_t>& values_;
};

}  // namespace lanewise::cli::bench
