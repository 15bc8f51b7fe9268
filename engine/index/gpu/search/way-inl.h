#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Descents from the root to an entry, and moves to the next leaf.

#include "index/gpu/search/long_keys-inl.h"

namespace lanewise::index {

/// From the root to the leaf that has the first entry that is not below the key, or to the previous leaf. The
/// slot may be after the leaf's last entry.
template <class NodeSearch>
struct Down {
  using Search = NodeSearch;
  template <class Tree, class Group, class Key, class Way>
  static LANES_FN void go(const Tree& tree, const Group& group, const Job&, u64, const Key& key, Way& trail) {
    go_to_leaf(tree, group, key, trail);
    trail.slots[0] = Search::below(group, node_at(tree, trail.nodes[0]), tree.leaf(), key);
  }
  /// The same if only the key's presence matters.
  template <class Tree, class Group, class Key, class Way>
  static LANES_FN Told find(const Tree& tree, const Group& group, const Job&, u64, const Key& key,
                            Way& trail) {
    go_to_leaf(tree, group, key, trail);
    return Search::find(group, node_at(tree, trail.nodes[0]), tree.leaf(), key, trail.slots[0]);
  }

 private:
  template <class Tree, class Group, class Key, class Way>
  static LANES_FN void go_to_leaf(const Tree& tree, const Group& group, const Key& key, Way& trail) {
    Ref ref = tree.root;
    INDEX_UNROLL for (u32 level = tree.height(); level > 0; level--) {
      const u8* node = node_at(tree, ref);
      trail.nodes[level] = ref;
      trail.slots[level] = Search::below(group, node, tree.inner(), key);
      ref = child_of(node, tree.inner(), trail.slots[level]);
    }
    trail.nodes[0] = ref;
  }
};

/// The path stored by kernels, one per level.
template <class NodeSearch>
struct Stored {
  using Search = NodeSearch;
  template <class Tree, class Group, class Key, class Way>
  static LANES_FN void go(const Tree& tree, const Group&, const Job& job, u64 q, const Key&, Way& trail) {
    INDEX_UNROLL for (u32 level = 0; level <= tree.height(); level++) {
      trail.nodes[level] = reinterpret_cast<const Ref*>(job.nodes)[level * job.count + q];
      trail.slots[level] = reinterpret_cast<const u32*>(job.slots)[level * job.count + q];
    }
  }
  template <class Tree, class Group, class Key, class Way>
  static LANES_FN Told find(const Tree& tree, const Group& group, const Job& job, u64 q, const Key& key,
                            Way& trail) {
    go(tree, group, job, q, key, trail);
    return Told::nothing;
  }
};

/// Moves to the first entry of the next leaf that has one; false if there is none.
template <class Tree, class Way>
LANES_FN bool next_leaf(const Tree& tree, Way& trail) {
  for (;;) {
    u32 turn = 0;  // the lowest level with a child to the right
    INDEX_UNROLL for (u32 level = 1; level <= tree.height(); level++) {
      if (turn != 0) continue;
      const u8* node = node_at(tree, trail.nodes[level]);
      if (trail.slots[level] + 1 < tail_of(node, tree.inner()).count) turn = level;
    }
    if (turn == 0) return false;
    INDEX_UNROLL for (u32 level = tree.height(); level > 0; level--) {
      if (level > turn) continue;
      trail.slots[level] = level == turn ? trail.slots[level] + 1 : 0;
      trail.nodes[level - 1] = child_of(node_at(tree, trail.nodes[level]), tree.inner(), trail.slots[level]);
    }
    trail.slots[0] = 0;
    if (tail_of(node_at(tree, trail.nodes[0]), tree.leaf()).count != 0) return true;
  }
}

/// Whether the key's first entry is at the trail's end, which moves to a later leaf if only that can
/// decide.
template <class Tree, class Word, class Way>
LANES_FN bool settle(const Tree& tree, Word key, Way& trail) {
  const u8* node = node_at(tree, trail.nodes[0]);
  if (trail.slots[0] < tree.leaf().slots) {
    const Word here = keys_of<Word>(node, tree.leaf())[trail.slots[0]];
    if (here != all_ones<Word>()) return here == key;  // Certainly a key.
    if (trail.slots[0] < tail_of(node, tree.leaf()).count) return here == key;
  }
  if (!next_leaf(tree, trail)) return false;
  return keys_of<Word>(node_at(tree, trail.nodes[0]), tree.leaf())[0] == key;
}

template <class Tree, class Word, class Way>
LANES_FN bool settle(const Tree& tree, const LongKey<Word>& key, Way& trail) {
  const u8* node = node_at(tree, trail.nodes[0]);
  if (trail.slots[0] >= tail_of(node, tree.leaf()).count) {
    if (!next_leaf(tree, trail)) return false;
    node = node_at(tree, trail.nodes[0]);
  }
  if (keys_of<Word>(node, tree.leaf())[trail.slots[0]] != key.word) return false;
  return key.order_of(node, tree.leaf(), trail.slots[0]) == 0;
}

}  // namespace lanewise::index
