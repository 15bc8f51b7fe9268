#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "index/tree/word_tree.h"

// Builds a tree from sorted entries: its leaves one after another, then level by level, all nodes of a
// level evenly filled.

namespace lanewise::index {

/// A new node, and the greatest key below it.
template <class Word>
struct WordTree<Word>::Made {
  Ref ref;
  u64 entries;
  Word key[kMaxPlanes];
};

namespace {
/// The start of part `part` if `all` things are divided evenly into `parts`.
u64 share(u64 all, u64 parts, u64 part) {
  return static_cast<u64>(static_cast<uint128_t>(all) * part / parts);
}
}  // namespace

template <class Word>
void WordTree<Word>::load_leaves(const Probes& keys, const u8* values, std::vector<Made>& made) {
  const u64 per_leaf = std::max<u64>(u64{geometry_.leaf.most} * pool_.header().fill_percent / 100, 1);
  const u64 leaves = std::max<u64>((keys.count + per_leaf - 1) / per_leaf, 1);
  const size_t bytes = geometry_.value_bytes;
  made.reserve(leaves);
  for (u64 i = 0; i < leaves; ++i) {
    const u64 first = share(keys.count, leaves, i);
    const u32 count = static_cast<u32>(share(keys.count, leaves, i + 1) - first);
    made.push_back({make_node(true), count, {}});
    const Node<Word> node = leaf_at(made.back().ref);
    const Word* words = static_cast<const Word*>(keys.words) + first * (keys.stride / sizeof(Word));
    if (planes_ == 1) {
      std::copy_n(words, count, node.keys());
      node.tail().count = count;
    } else {
      for (u32 k = 0; k < count; ++k) {
        const Probe key = keys[first + k];
        Word row[kMaxPlanes];
        std::copy_n(static_cast<const Word*>(key.words), text_ ? 1 : planes_, row);
        if (text_) row[1] = static_cast<Word>(texts_.write(key.text));
        set_key(node, k, row);
        node.tail().count = k + 1;
      }
    }
    if (bytes != 0 && count != 0) std::memcpy(node.payload(), values + first * bytes, count * bytes);
    finish(node, count, 0);
    if (count == 0) break;
    for (u32 plane = 0; plane < planes_; ++plane) made.back().key[plane] = node.keys(plane)[count - 1];
  }
}

/// The nodes above those of a level.
template <class Word>
void WordTree<Word>::load_level(const std::vector<Made>& children, std::vector<Made>& made) {
  const u64 per_node = std::max<u64>(u64{geometry_.inner.most} * pool_.header().fill_percent / 100, 3);
  const u64 nodes = (children.size() + per_node - 1) / per_node;
  made.reserve(nodes);
  std::string scratch;
  for (u64 i = 0; i < nodes; ++i) {
    const u64 first = share(children.size(), nodes, i), behind = share(children.size(), nodes, i + 1);
    made.push_back({make_node(false), 0, {}});
    const Node<Word> node = inner_at(made.back().ref);
    for (u64 c = first; c < behind; ++c) {
      const u32 at = static_cast<u32>(c - first);
      if (at > 0) {
        set_key(node, at - 1, children[c - 1].key);
        if (text_) {  // A bound outlives the entry from which it was made.
          const std::string text(texts_.read(children[c - 1].key[1], scratch));
          node.keys(1)[at - 1] = static_cast<Word>(texts_.write(text));
        }
      }
      node.children()[at] = children[c].ref;
      node.entries()[at] = children[c].entries;
      made.back().entries += children[c].entries;
      node.tail().count = at + 1;
    }
    finish(node, node.count() - 1, 0);
    std::copy_n(children[behind - 1].key, kMaxPlanes, made.back().key);
  }
}

template <class Word>
void WordTree<Word>::load(const Probes& keys, const u8* values) {
  Root& root = pool_.header().root;
  invariant(root.entries == 0 && root.height == 0, "load() into an empty tree");
  pool_.mark_header();
  std::vector<std::vector<Made>> levels(1);
  try {
    load_leaves(keys, values, levels[0]);
    while (levels.back().size() > 1) {
      levels.emplace_back();
      load_level(levels[levels.size() - 2], levels.back());
    }
  } catch (const MemoryError&) {
    discard(levels);
    throw;
  }
  release_node(root.node, true);
  root = {levels.back()[0].ref, static_cast<u32>(levels.size() - 1), keys.count};
}

template <class Word>
void WordTree<Word>::discard(const std::vector<std::vector<Made>>& levels) {
  for (size_t level = 0; level < levels.size(); ++level) {
    for (const Made& made : levels[level]) {
      const Node<Word> node = node_at(made.ref, level == 0);
      const u32 keys = level == 0 || node.count() == 0 ? node.count() : node.count() - 1;
      for (u32 i = 0; text_ && i < keys; ++i) texts_.release(node.keys(1)[i]);
      release_node(made.ref, level == 0);
    }
  }
}

template class WordTree<u32>;
template class WordTree<u64>;

}  // namespace lanewise::index
