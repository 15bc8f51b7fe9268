#pragma once

#include <functional>
#include <memory>
#include <string>

#include "index/image/key_layout.h"
#include "index/image/pool.h"
#include "index/kernels/strategy.h"
#include "index/tree/texts.h"

namespace lanewise::index {

/// The path to an entry: the nodes from the root to its leaf, and the position in each.
struct Path {
  u32 height = 0;
  Ref nodes[kMaxHeight + 1];  ///< [0]: the leaf, [height]: the root
  u32 slots[kMaxHeight + 1];  ///< [0]: the entry, else the child. After the last entry: the last leaf's count
};

/// Where a search for a key ended: the first entry not below it is this one, or the first of a later leaf.
struct Place {
  Ref leaf;
  u32 slot;
};

/// What insert() does if the key exists.
enum class Existing {
  kAdd,      ///< adds an entry after those with the same key
  kKeep,     ///< nothing
  kReplace,  ///< replaces the value of the key's first entry
};

/// A B+-tree over the nodes of a pool. Nodes have no links to their neighbours, so a change copies only the
/// path from the root, and snapshots keep the old nodes. Readers pass the Root of the state that they read;
/// writers use the pool's own.
class Tree {
 public:
  explicit Tree(Pool& pool) : pool_(pool), texts_(pool), geometry_(pool.geometry()) {}
  virtual ~Tree() = default;

  // Reading. Each call takes time logarithmic in the number of entries unless stated otherwise.

  /// The first entry not below the key; with `behind_equal` the first one above it.
  virtual void seek(const Root& root, const Probe& key, bool behind_equal, Path& path) const = 0;
  /// The same for several keys at once; each search ends in one leaf.
  virtual void seek_all(const Root& root, const Probes& keys, Strategy strategy, Place* places) const = 0;
  /// Whether the entry at `path`, which must exist, has the key.
  virtual bool is_at(const Path& path, const Probe& key) const = 0;
  /// Whether it is at `place`; if only a later leaf decides that, `place` moves there.
  virtual bool settle(const Root& root, const Probe& key, Place& place) const = 0;
  /// The entry's key; its words and text are valid until `words` or `text` changes.
  virtual Probe key_at(const Path& path, u64* words, std::string& text) const = 0;
  /// The number of entries of the path's leaf, from its slot on, that are below the key, or not above it.
  virtual u32 run_below(const Path& path, const Probe& key, bool or_equal) const = 0;

  void seek_rank(const Root& root, u64 rank, Path& path) const;  ///< rank <= entries
  u64 rank(const Path& path) const;
  bool at_end(const Path& path) const { return path.slots[0] == leaf(path.nodes[0]).count(); }
  /// Moves to the first entry of the next leaf that has one, or to the last entry of the previous one. If
  /// there is none, returns false and leaves the path unchanged.
  bool next_leaf(Path& path) const;
  /// Prefetches the leaf after the path's, if both have the same parent, for callers that read all of
  /// both.
  void fetch_next_leaf(const Path& path) const;
  bool previous_leaf(Path& path) const { return to_filled(path, false); }
  Node<u64> leaf(Ref ref) const { return {pool_.node(ref, kLeaves), geometry_.leaf}; }
  Node<u64> inner(Ref ref) const { return {pool_.node(ref, kInnerNodes), geometry_.inner}; }
  const u8* value(const Path& path) const { return leaf(path.nodes[0]).payload(path.slots[0]); }

  // Writing, by one thread. A call that fails for lack of memory has changed nothing.

  /// Prefetches the nodes that changes at keys [first, first + kWarm) will read, for keys that are far apart.
  static constexpr size_t kWarm = 64;
  virtual void warm(const Probes& keys, size_t first) const = 0;
  /// Creates the empty tree of a new image.
  virtual void start() = 0;
  /// Loads entries in ascending order into an empty tree; nodes are filled to the header's fill factor.
  /// Linear.
  virtual void load(const Probes& keys, const u8* values) = 0;
  /// Returns whether an entry was added.
  virtual bool insert(const Probe& key, const u8* value, Existing existing) = 0;
  /// Adds entries that are in ascending order.
  virtual void insert_sorted(const Probes& keys, const u8* values) = 0;
  /// Removes the entry.
  virtual void erase(Path& path) = 0;

  /// Checks the whole tree; throws UserError that names the place of an error. Linear.
  virtual void verify(const Root& root) const = 0;
  /// Calls f(at, slot class) for each node and string.
  void for_each_slot(const Root& root, const std::function<void(u64, u32)>& f) const;

 protected:
  bool to_neighbour(Path& path, bool next) const;
  bool to_filled(Path& path, bool next) const;
  /// The child after the path's leaf; 0: the parent has none.
  Ref next_child(const Path& path) const {
    if (path.height == 0) return 0;
    const Node<u64> parent = inner(path.nodes[1]);
    return path.slots[1] + 1 < parent.count() ? parent.children()[path.slots[1] + 1] : 0;
  }

  Pool& pool_;
  Texts texts_;
  const Geometry& geometry_;
};

/// The tree for the pool's keys.
std::unique_ptr<Tree> make_tree(Pool& pool);

}  // namespace lanewise::index
