#include "index/tree/tree.h"

#include <algorithm>

#include "base/error.h"
#include "index/tree/word_tree.h"

namespace lanewise::index {

void Tree::seek_rank(const Root& root, u64 rank, Path& path) const {
  path.height = root.height;
  Ref ref = root.node;
  for (u32 level = root.height; level > 0; --level) {
    const Node<u64> node = inner(ref);
    u32 child = 0;
    for (; child + 1 < node.count() && rank >= node.entries()[child]; ++child) rank -= node.entries()[child];
    path.nodes[level] = ref;
    path.slots[level] = child;
    ref = node.children()[child];
  }
  path.nodes[0] = ref;
  path.slots[0] = static_cast<u32>(std::min<u64>(rank, leaf(ref).count()));
}

u64 Tree::rank(const Path& path) const {
  u64 before = path.slots[0];
  for (u32 level = 1; level <= path.height; ++level) {
    const u64* entries = inner(path.nodes[level]).entries();
    for (u32 child = 0; child < path.slots[level]; ++child) before += entries[child];
  }
  return before;
}

bool Tree::to_neighbour(Path& path, bool next) const {
  const auto last = [&](u32 level) { return inner(path.nodes[level]).count() - 1; };
  u32 level = 1;
  while (level <= path.height && path.slots[level] == (next ? last(level) : 0)) ++level;
  if (level > path.height) return false;
  path.slots[level] = next ? path.slots[level] + 1 : path.slots[level] - 1;
  while (level-- > 0) {
    path.nodes[level] = inner(path.nodes[level + 1]).children()[path.slots[level + 1]];
    if (level > 0) path.slots[level] = next ? 0 : last(level);
  }
  return true;
}

bool Tree::next_leaf(Path& path) const {
  const Ref next = next_child(path);
  if (next == 0 || leaf(next).count() == 0) return to_filled(path, true);
  ++path.slots[1];
  path.nodes[0] = next;
  path.slots[0] = 0;
  return true;
}

void Tree::fetch_next_leaf(const Path& path) const {
  const Ref next = next_child(path);
  const u8* leaf = pool_.data() + u64{next} * kLine;
  for (u32 at = 0; next != 0 && at < geometry_.leaf.bytes; at += kLine) __builtin_prefetch(leaf + at);
}

/// Leaves are empty only if an erasure had no memory to merge them.
bool Tree::to_filled(Path& path, bool next) const {
  Path there = path;
  for (u64 steps = 0; to_neighbour(there, next); ++steps) {
    if (steps > pool_.most_nodes()) throw UserError(pool_.name() + ": the list of leaves has a cycle");
    const u32 count = leaf(there.nodes[0]).count();
    if (count == 0) continue;
    path = there;
    path.slots[0] = next ? 0 : count - 1;
    return true;
  }
  return false;
}

void Tree::for_each_slot(const Root& root, const std::function<void(u64, u32)>& f) const {
  const bool text = geometry_.keys.text();
  const std::function<void(Ref, u32)> walk = [&](Ref ref, u32 height) {
    const Node<u64> node = height == 0 ? leaf(ref) : inner(ref);
    f(u64{ref} * kLine, height == 0 ? kLeaves : kInnerNodes);
    const u32 keys = height == 0 ? node.count() : node.count() - 1;
    if (text) {
      for (u32 i = 0; i < keys; ++i) {
        texts_.for_each_piece(node.keys(1)[i],
                              [&](u64 at) { f(at, pool_.trailer(at / geometry_.group_bytes).slot_class); });
      }
    }
    for (u32 i = 0; height > 0 && i < node.count(); ++i) walk(node.children()[i], height - 1);
  };
  walk(root.node, root.height);
}

std::unique_ptr<Tree> make_tree(Pool& pool) {
  if (pool.geometry().keys.word() == 4) return std::make_unique<WordTree<u32>>(pool);
  return std::make_unique<WordTree<u64>>(pool);
}

}  // namespace lanewise::index
