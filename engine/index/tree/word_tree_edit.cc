#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "index/tree/word_tree.h"

// Changes of the tree. Each function allocates memory first, so that a failure leaves the tree
// unchanged.

namespace lanewise::index {

template <class Word>
Ref WordTree<Word>::make_node(bool is_leaf) {
  const SlotClass slot_class = is_leaf ? kLeaves : kInnerNodes;
  const Ref ref = static_cast<Ref>(pool_.allocate(slot_class) / kLine);
  const Node<Word> node(pool_.data() + u64{ref} * kLine, is_leaf ? geometry_.leaf : geometry_.inner);
  std::memset(reinterpret_cast<u8*>(node.samples()), 0, node.shape().bytes);
  std::fill(node.samples(), node.samples() + node.shape().sample_slots, kAll);
  std::fill(node.keys(), node.keys() + node.shape().slots, kAll);
  node.tail() = {0, held(slot_class), pool_.header().version};
  return ref;
}

template <class Word>
void WordTree<Word>::release_node(Ref ref, bool is_leaf) {
  pool_.release(u64{ref} * kLine, is_leaf ? kLeaves : kInnerNodes, node_at(ref, is_leaf).tail().version);
}

/// Returns the node, or a copy if a snapshot sees it, for changes.
template <class Word>
Ref WordTree<Word>::own(Ref ref, bool is_leaf) {
  const Node<Word> node = node_at(ref, is_leaf);
  pool_.mark(u64{ref} * kLine, is_leaf ? kLeaves : kInnerNodes);
  if (!pool_.seen(node.tail().version)) return ref;
  const SlotClass slot_class = is_leaf ? kLeaves : kInnerNodes;
  const Ref copy = static_cast<Ref>(pool_.allocate(slot_class) / kLine);
  const Node<Word> copied(pool_.data() + u64{copy} * kLine, node.shape());
  std::memcpy(reinterpret_cast<u8*>(copied.samples()), reinterpret_cast<u8*>(node.samples()),
              node.shape().bytes);
  copied.tail().version = pool_.header().version;
  release_node(ref, is_leaf);
  return copy;
}

template <class Word>
void WordTree<Word>::own_path(Path& path) {
  Root& root = pool_.header().root;
  pool_.mark_header();
  for (u32 level = path.height + 1; level-- > 0;) {
    path.nodes[level] = own(path.nodes[level], level == 0);
    Ref& named =
        level == path.height ? root.node : inner_at(path.nodes[level + 1]).children()[path.slots[level + 1]];
    named = path.nodes[level];
  }
}

template <class Word>
void WordTree<Word>::set_key(const Node<Word>& node, u32 slot, const Word* key) const {
  for (u32 plane = 0; plane < planes_; ++plane) node.keys(plane)[slot] = key[plane];
}

template <class Word>
void WordTree<Word>::move_keys(const Node<Word>& node, u32 from, u32 to, u32 count) const {
  for (u32 plane = 0; plane < planes_; ++plane) {
    std::memmove(node.keys(plane) + to, node.keys(plane) + from, count * sizeof(Word));
  }
}

/// Updates padding and samples for the first `keys` keys, of which those before `from` have not changed.
template <class Word>
void WordTree<Word>::finish(const Node<Word>& node, u32 keys, u32 from) const {
  constexpr u32 kPer = kLine / sizeof(Word);
  const u32 slots = node.shape().slots;
  Word* words = node.keys();
  for (u32 i = keys; i < slots && words[i] != kAll; ++i) words[i] = kAll;
  for (u32 line = from / kPer; (line + 1) * kPer < slots; ++line) {
    node.samples()[line] = words[(line + 1) * kPer - 1];
  }
}

template <class Word>
void WordTree<Word>::count_entries(const Path& path, u64 more) {
  for (u32 level = 1; level <= path.height; ++level) {
    inner_at(path.nodes[level]).entries()[path.slots[level]] += more;
  }
  pool_.header().root.entries += more;
}

/// Appends all entries of a node.
template <class Word>
void WordTree<Word>::take(const Node<Word>& node, bool is_leaf, Loose& to) const {
  const u32 count = node.count();
  const u32 keys = is_leaf ? count : count - 1;
  for (u32 i = 0; i < keys; ++i) {
    for (u32 plane = 0; plane < planes_; ++plane) to.keys.push_back(node.keys(plane)[i]);
  }
  to.payload.insert(to.payload.end(), node.payload(), node.payload(count));
  if (!is_leaf) to.entries.insert(to.entries.end(), node.entries(), node.entries() + count);
  to.count += count;
}

/// Fills a node with entries, or children, [first, first + count).
template <class Word>
void WordTree<Word>::fill(const Node<Word>& node, bool is_leaf, const Loose& from, u32 first,
                          u32 count) const {
  const u32 keys = is_leaf ? count : count - 1;
  for (u32 i = 0; i < keys; ++i) set_key(node, i, from.keys.data() + size_t{first + i} * planes_);
  std::fill(node.keys() + keys, node.keys() + node.shape().slots, kAll);
  const size_t bytes = node.shape().payload_bytes;
  if (bytes != 0) std::memcpy(node.payload(), from.payload.data() + first * bytes, count * bytes);
  if (!is_leaf) std::copy_n(from.entries.begin() + first, count, node.entries());
  node.tail().count = count;
  finish(node, keys, 0);
}

/// A copy of the string of a key that also becomes a bound; nothing for other keys.
template <class Word>
Word WordTree<Word>::copy_text_of(const Loose& loose, u32 key) {
  if (!text_) return 0;
  std::string scratch;
  return static_cast<Word>(
      texts_.write(std::string(texts_.read(loose.keys[size_t{key} * planes_ + 1], scratch))));
}

template <class Word>
void WordTree<Word>::grow_root() {
  Root& root = pool_.header().root;
  if (root.height == kMaxHeight) throw UserError(pool_.name() + ": the tree has too many levels");
  const Ref ref = make_node(false);
  const Node<Word> node = inner_at(ref);
  node.children()[0] = root.node;
  node.entries()[0] = root.entries;
  node.tail().count = 1;
  root.node = ref;
  ++root.height;
}

/// Splits a child, which is full and owned, of a parent that has room.
template <class Word>
void WordTree<Word>::split(Ref parent_ref, u32 child, bool is_leaf, bool appending) {
  const Node<Word> parent = inner_at(parent_ref);
  const Node<Word> left = node_at(parent.children()[child], is_leaf);
  Loose loose;
  take(left, is_leaf, loose);
  const u32 kept = appending && is_leaf ? loose.count - 1 : loose.count / 2;
  const Ref right_ref = make_node(is_leaf);
  std::vector<Word> bound(loose.keys.begin() + (kept - 1) * planes_, loose.keys.begin() + kept * planes_);
  if (is_leaf && text_) {
    try {
      bound[1] = copy_text_of(loose, kept - 1);
    } catch (const MemoryError&) {
      release_node(right_ref, is_leaf);
      throw;
    }
  }
  const Node<Word> right = node_at(right_ref, is_leaf);
  fill(right, is_leaf, loose, kept, loose.count - kept);
  fill(left, is_leaf, loose, 0, kept);

  const u32 count = parent.count();
  move_keys(parent, child, child + 1, count - 1 - child);
  set_key(parent, child, bound.data());
  std::copy_backward(parent.children() + child + 1, parent.children() + count, parent.children() + count + 1);
  std::copy_backward(parent.entries() + child + 1, parent.entries() + count, parent.entries() + count + 1);
  u64 entries = loose.count - kept;
  if (!is_leaf) entries = std::accumulate(loose.entries.begin() + kept, loose.entries.end(), u64{0});
  parent.children()[child + 1] = right_ref;
  parent.entries()[child + 1] = entries;
  parent.entries()[child] -= entries;
  parent.tail().count = count + 1;
  finish(parent, count, child);
}

/// Descends to the leaf that takes the key after its equals. The nodes on the path are owned, and the leaf
/// has room. `bound` becomes the upper bound of the leaf's keys, if there is one.
template <class Word>
void WordTree<Word>::descend_to_insert(const Probe& key, Path& path, Bound* bound) {
  Root& root = pool_.header().root;
  pool_.mark_header();
  root.node = own(root.node, root.height == 0);
  const Node<Word> top = node_at(root.node, root.height == 0);
  bool last = true;  // the tree has nothing to the right
  if (top.count() == top.shape().most) {
    const bool was_leaf = root.height == 0;
    const bool appending = was_leaf && below(top, top.count(), key, true) == top.count();
    grow_root();
    split(root.node, 0, was_leaf, appending);
  }
  path.height = root.height;
  path.nodes[root.height] = root.node;
  for (u32 level = root.height; level > 0; --level) {
    const Node<Word> node = inner_at(path.nodes[level]);
    const bool is_leaf = level == 1;
    u32 child = child_for(node, key, true);
    const u8* next = pool_.data() + u64{node.children()[child]} * kLine;
    __builtin_prefetch(next);
    __builtin_prefetch(next + (is_leaf ? geometry_.leaf : geometry_.inner).tail_at);
    const Ref ref = node.children()[child] = own(node.children()[child], is_leaf);
    const Node<Word> below_it = node_at(ref, is_leaf);
    if (below_it.count() == below_it.shape().most) {
      const bool appending = last && child + 1 == node.count() && is_leaf &&
                             below(below_it, below_it.count(), key, true) == below_it.count();
      split(path.nodes[level], child, is_leaf, appending);
      if (compare(node, child, key) <= 0) ++child;
    }
    last = last && child + 1 == node.count();
    if (bound != nullptr && child + 1 < node.count()) *bound = {path.nodes[level], child};
    path.slots[level] = child;
    path.nodes[level - 1] = node.children()[child];
  }
  const Node<Word> node = leaf_at(path.nodes[0]);
  path.slots[0] = below(node, node.count(), key, true);
}

/// Inserts an entry at the path's position in a leaf that has room.
template <class Word>
void WordTree<Word>::put(const Path& path, const Probe& key, const u8* value) {
  Word words[kMaxPlanes];
  std::copy_n(static_cast<const Word*>(key.words), text_ ? 1 : planes_, words);
  if (text_) words[1] = static_cast<Word>(texts_.write(key.text));
  const Node<Word> node = leaf_at(path.nodes[0]);
  const u32 slot = path.slots[0], count = node.count();
  const size_t bytes = geometry_.value_bytes;
  for (const u8* at = node.payload(slot); at < node.payload(count) + kLine; at += kLine)
    __builtin_prefetch(at);
  move_keys(node, slot, slot + 1, count - slot);
  set_key(node, slot, words);
  std::memmove(node.payload(slot + 1), node.payload(slot), (count - slot) * bytes);
  if (bytes != 0) std::memcpy(node.payload(slot), value, bytes);
  node.tail().count = count + 1;
  finish(node, count + 1, slot);
  count_entries(path, 1);
}

template <class Word>
bool WordTree<Word>::insert(const Probe& key, const u8* value, Existing existing) {
  Path path;
  if (existing != Existing::kAdd) {
    seek(pool_.header().root, key, false, path);
    if (!at_end(path) && is_at(path, key)) {
      if (existing == Existing::kReplace && geometry_.value_bytes != 0) {
        own_path(path);
        std::memcpy(leaf_at(path.nodes[0]).payload(path.slots[0]), value, geometry_.value_bytes);
      }
      return false;
    }
  }
  descend_to_insert(key, path, nullptr);
  put(path, key, value);
  return true;
}

/// Leaf by leaf: all keys that belong into a leaf, and fit, are merged into it from the back.
template <class Word>
void WordTree<Word>::insert_sorted(const Probes& keys, const u8* values) {
  const size_t bytes = geometry_.value_bytes;
  size_t warmed = 0;
  for (size_t next = 0; next < keys.count;) {
    if (next >= warmed) {
      warm(keys, next);
      warmed = next + kWarm;
    }
    Path path;
    Bound bound;
    descend_to_insert(keys[next], path, &bound);
    const Node<Word> node = leaf_at(path.nodes[0]);
    const u32 count = node.count();
    const size_t room = std::min<size_t>(node.shape().most - count, keys.count - next);
    size_t some = 1;
    if (bound.node == 0 && !text_) {
      some = room;
    } else if (!text_) {  // Strings are allocated one by one.
      const Node<Word> above = inner_at(bound.node);
      while (some < room && compare(above, bound.slot, keys[next + some]) > 0) ++some;
    }
    if (some == 1) {
      put(path, keys[next], values + next * bytes);
      ++next;
      continue;
    }
    u32 end = count;  // entries before it have not moved
    for (size_t i = some; i-- > 0;) {
      const Probe key = keys[next + i];
      const u32 slot = std::min(below(node, end, key, true), end);
      const u32 to = slot + static_cast<u32>(i);
      move_keys(node, slot, to + 1, end - slot);
      set_key(node, to, static_cast<const Word*>(key.words));
      std::memmove(node.payload(to + 1), node.payload(slot), (end - slot) * bytes);
      if (bytes != 0) std::memcpy(node.payload(to), values + (next + i) * bytes, bytes);
      end = slot;
    }
    node.tail().count = count + static_cast<u32>(some);
    finish(node, node.count(), end);
    count_entries(path, some);
    next += some;
  }
}

template <class Word>
void WordTree<Word>::erase(Path& path) {
  own_path(path);
  const Node<Word> node = leaf_at(path.nodes[0]);
  const u32 slot = path.slots[0], count = node.count();
  if (text_) texts_.release(node.keys(1)[slot]);
  move_keys(node, slot + 1, slot, count - slot - 1);
  const size_t bytes = geometry_.value_bytes;
  std::memmove(node.payload(slot), node.payload(slot + 1), (count - slot - 1) * bytes);
  node.tail().count = count - 1;
  finish(node, count - 1, slot);
  count_entries(path, ~u64{0});
  try {
    rebalance(path);
  } catch (const MemoryError&) {
    // The entry is erased; a node that stays emptier than required is not an error.
  }
}

/// Called after an entry of the path's leaf was erased.
template <class Word>
void WordTree<Word>::rebalance(const Path& path) {
  for (u32 level = 0; level < path.height; ++level) {
    const u32 count = node_at(path.nodes[level], level == 0).count();
    if (count >= (level == 0 ? geometry_.least_leaf : geometry_.least_inner)) break;
    const Node<Word> parent = inner_at(path.nodes[level + 1]);
    if (parent.count() == 1) continue;
    const u32 child = path.slots[level + 1];
    if (!join(path.nodes[level + 1], child > 0 ? child - 1 : child, level == 0)) break;
  }
  Root& root = pool_.header().root;
  while (root.height > 0 && inner_at(root.node).count() == 1) {
    const Ref old = root.node;
    root.node = inner_at(old).children()[0];
    --root.height;
    release_node(old, false);
  }
}

/// Merges two adjacent children, or balances them if they are too many. Returns whether the
/// parent, which is owned, has one child less.
template <class Word>
bool WordTree<Word>::join(Ref parent_ref, u32 child, bool is_leaf) {
  const Node<Word> parent = inner_at(parent_ref);
  for (const u32 i : {child, child + 1}) parent.children()[i] = own(parent.children()[i], is_leaf);
  const Node<Word> left = node_at(parent.children()[child], is_leaf);
  const Ref right_ref = parent.children()[child + 1];
  const Node<Word> right = node_at(right_ref, is_leaf);
  Loose loose;
  take(left, is_leaf, loose);
  if (!is_leaf) {
    for (u32 plane = 0; plane < planes_; ++plane) loose.keys.push_back(parent.keys(plane)[child]);
  }
  take(right, is_leaf, loose);
  const u64 entries = parent.entries()[child] + parent.entries()[child + 1];
  if (loose.count <= left.shape().most) {
    if (is_leaf && text_) texts_.release(parent.keys(1)[child]);
    fill(left, is_leaf, loose, 0, loose.count);
    release_node(right_ref, is_leaf);
    const u32 count = parent.count();
    move_keys(parent, child + 1, child, count - 2 - child);
    std::copy(parent.children() + child + 2, parent.children() + count, parent.children() + child + 1);
    std::copy(parent.entries() + child + 2, parent.entries() + count, parent.entries() + child + 1);
    parent.entries()[child] = entries;
    parent.tail().count = count - 1;
    finish(parent, count - 2, child);
    return true;
  }
  const u32 kept = loose.count / 2;
  std::vector<Word> bound(loose.keys.begin() + (kept - 1) * planes_, loose.keys.begin() + kept * planes_);
  if (is_leaf && text_) {
    bound[1] = copy_text_of(loose, kept - 1);
    texts_.release(parent.keys(1)[child]);
  }
  fill(left, is_leaf, loose, 0, kept);
  fill(right, is_leaf, loose, kept, loose.count - kept);
  const u64 on_left =
      is_leaf ? kept : std::accumulate(loose.entries.begin(), loose.entries.begin() + kept, u64{0});
  parent.entries()[child] = on_left;
  parent.entries()[child + 1] = entries - on_left;
  set_key(parent, child, bound.data());
  finish(parent, parent.count() - 1, child);
  return false;
}

template class WordTree<u32>;
template class WordTree<u64>;

}  // namespace lanewise::index
