#include "index/tree/word_tree.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "index/kernels/search.h"

// Searches in the tree.

namespace lanewise::index {

static const SearchKernels& kernels_of([[maybe_unused]] Strategy strategy) {
#if defined(__x86_64__)
  if (strategy == Strategy::avx512) return kAvx512Search;
  if (strategy == Strategy::avx2) return kAvx2Search;
#endif
  return kPlainSearch;
}

template <class Word>
WordTree<Word>::WordTree(Pool& pool)
    : Tree(pool),
      planes_(geometry_.keys.planes()),
      text_(geometry_.keys.text()),
      words_below_(static_cast<const SearchKernelsOf<Word>&>(kernels_of(fastest_strategy())).node) {}

template <class Word>
int WordTree<Word>::compare(const Node<Word>& node, u32 slot, const Probe& key) const {
  const Word* sought = static_cast<const Word*>(key.words);
  for (u32 plane = 0; plane < (text_ ? 1 : planes_); ++plane) {
    const Word here = node.keys(plane)[slot];
    if (here != sought[plane]) return here < sought[plane] ? -1 : 1;
  }
  return text_ ? texts_.compare(node.keys(1)[slot], key.text) : 0;
}

/// The number of the node's first `keys` keys that are below the key, or not above it.
template <class Word>
u32 WordTree<Word>::below(const Node<Word>& node, u32 keys, const Probe& key, bool or_equal) const {
  const u8* at = reinterpret_cast<const u8*>(node.samples());
  const auto words_below = [&](Word word) { return words_below_(at, node.shape(), word); };
  const Word first = *static_cast<const Word*>(key.words);
  if (planes_ == 1) {
    if (!or_equal) return words_below(first);
    return first == kAll ? keys : words_below(static_cast<Word>(first + 1));
  }
  u32 low = std::min(words_below(first), keys);
  u32 high = first == kAll ? keys : std::min(words_below(static_cast<Word>(first + 1)), keys);
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const int order = compare(node, middle, key);
    if (order < 0 || (or_equal && order == 0)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class Word>
void WordTree<Word>::seek(const Root& root, const Probe& key, bool behind_equal, Path& path) const {
  path.height = root.height;
  Ref ref = root.node;
  for (u32 level = root.height; level > 0; --level) {
    const Node<Word> node = inner_at(ref);
    path.nodes[level] = ref;
    path.slots[level] = child_for(node, key, behind_equal);
    ref = node.children()[path.slots[level]];
  }
  const Node<Word> node = leaf_at(ref);
  path.nodes[0] = ref;
  path.slots[0] = below(node, node.count(), key, behind_equal);
  // If all keys of the leaf are below the key, its greatest key has been erased.
  if (at_end(path)) next_leaf(path);
}

/// The textbook's search: binary search in each node, one key after the other.
template <class Word>
static Place search_by_halves(const Tree& tree, const Root& root, Word key) {
  const auto halve = [&](const Word* keys, u32 count) {
    u32 low = 0;
    while (count > 0) {
      const u32 half = count / 2;
      if (keys[low + half] < key) {
        low += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return low;
  };
  Ref ref = root.node;
  for (u32 level = root.height; level > 0; --level) {
    const Node<u64> node = tree.inner(ref);
    const u8* at = reinterpret_cast<const u8*>(node.samples());
    ref = node.children()[halve(reinterpret_cast<const Word*>(at + node.shape().keys_at), node.count() - 1)];
  }
  const Node<u64> node = tree.leaf(ref);
  const u8* at = reinterpret_cast<const u8*>(node.samples());
  return {ref, halve(reinterpret_cast<const Word*>(at + node.shape().keys_at), node.count())};
}

template <class Word>
void WordTree<Word>::seek_all(const Root& root, const Probes& keys, Strategy strategy, Place* places) const {
  if (planes_ > 1 || !pool_.trusted()) {
    Path path;
    for (size_t i = 0; i < keys.count; ++i) {
      seek(root, keys[i], false, path);
      places[i] = {path.nodes[0], path.slots[0]};
    }
    return;
  }
  const Word* words = static_cast<const Word*>(keys.words);
  if (strategy == Strategy::binary) {
    for (size_t i = 0; i < keys.count; ++i) places[i] = search_by_halves<Word>(*this, root, words[i]);
    return;
  }
  const TreeView view{pool_.data(), root.node, root.height, geometry_.inner, geometry_.leaf};
  const auto search = static_cast<const SearchKernelsOf<Word>&>(kernels_of(strategy)).batch;
  constexpr size_t kSome = 256;
  Ref leaves[kSome];
  u32 slots[kSome];
  for (size_t first = 0; first < keys.count; first += kSome) {
    const size_t count = std::min(kSome, keys.count - first);
    search(view, words + first, count, leaves, slots);
    for (size_t i = 0; i < count; ++i) places[first + i] = {leaves[i], slots[i]};
  }
}

/// The cache lines that a search for each key needs, and the positions of its entry's value and the leaf's
/// count.
template <class Word>
void WordTree<Word>::warm(const Probes& keys, size_t first) const {
  const Root& root = pool_.header().root;
  if (planes_ > 1 || !pool_.trusted() || keys.count < 8 || keys.count > root.entries / 32) return;
  const NodeShape& leaf = geometry_.leaf;
  const TreeView view{pool_.data(), root.node, root.height, geometry_.inner, leaf};
  Ref leaves[kWarm];
  u32 slots[kWarm];
  const size_t count = std::min<size_t>(kWarm, keys.count - first);
  const auto search = static_cast<const SearchKernelsOf<Word>&>(kernels_of(fastest_strategy())).batch;
  search(view, static_cast<const Word*>(keys.words) + first, count, leaves, slots);
  for (size_t i = 0; i < count; ++i) {
    const u8* at = pool_.data() + u64{leaves[i]} * kLine;
    __builtin_prefetch(at + leaf.tail_at);
    __builtin_prefetch(at + leaf.keys_at + (slots[i] + leaf.per_line()) * leaf.word);
    __builtin_prefetch(at + leaf.payload_at + slots[i] * leaf.payload_bytes + kLine);
  }
}

template <class Word>
bool WordTree<Word>::settle(const Root& root, const Probe& key, Place& place) const {
  const Node<Word> node = leaf_at(place.leaf);
  if (place.slot < node.shape().slots) {
    const Word here = node.keys()[place.slot];
    const Word sought = *static_cast<const Word*>(key.words);
    if (planes_ == 1 && here != kAll) return here == sought;  // Certainly a key.
    if (place.slot < node.count()) return compare(node, place.slot, key) == 0;
  }
  Path path;
  seek(root, key, false, path);
  place = {path.nodes[0], path.slots[0]};
  return !at_end(path) && is_at(path, key);
}

template <class Word>
Probe WordTree<Word>::key_of(const Node<Word>& node, u32 slot, u64* words, std::string& text) const {
  auto* to = reinterpret_cast<Word*>(words);
  for (u32 plane = 0; plane < planes_; ++plane) to[plane] = node.keys(plane)[slot];
  return {to, text_ ? texts_.read(node.keys(1)[slot], text) : std::string_view()};
}

template class WordTree<u32>;
template class WordTree<u64>;

}  // namespace lanewise::index
