#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "index/kernels/search.h"
#include "index/tree/tree.h"

namespace lanewise::index {

/// The tree of keys that are words of 32 or of 64 bits.
template <class Word>
class WordTree final : public Tree {
 public:
  explicit WordTree(Pool& pool);

  void seek(const Root& root, const Probe& key, bool behind_equal, Path& path) const override;
  void seek_all(const Root& root, const Probes& keys, Strategy strategy, Place* places) const override;
  bool is_at(const Path& path, const Probe& key) const override {
    return compare(leaf_at(path.nodes[0]), path.slots[0], key) == 0;
  }
  bool settle(const Root& root, const Probe& key, Place& place) const override;
  Probe key_at(const Path& path, u64* words, std::string& text) const override {
    return key_of(leaf_at(path.nodes[0]), path.slots[0], words, text);
  }
  u32 run_below(const Path& path, const Probe& key, bool or_equal) const override {
    const auto node = leaf_at(path.nodes[0]);
    return std::max(below(node, node.count(), key, or_equal), path.slots[0]) - path.slots[0];
  }

  void warm(const Probes& keys, size_t first) const override;
  void start() override { pool_.header().root = {make_node(true), 0, 0}; }
  void load(const Probes& keys, const u8* values) override;
  bool insert(const Probe& key, const u8* value, Existing existing) override;
  void insert_sorted(const Probes& keys, const u8* values) override;
  void erase(Path& path) override;
  void verify(const Root& root) const override;

 private:
  static constexpr Word kAll = static_cast<Word>(~Word{0});

  /// Keys with their values or children, being moved from one node to another.
  struct Loose {
    std::vector<Word> keys;  // row by row
    std::vector<u8> payload;
    std::vector<u64> entries;  // of inner nodes
    u32 count = 0;             // of entries or children
  };
  /// A key that separates two children, in its node.
  struct Bound {
    Ref node = 0;
    u32 slot = 0;
  };

  Node<Word> leaf_at(Ref ref) const { return {pool_.node(ref, kLeaves), geometry_.leaf}; }
  Node<Word> inner_at(Ref ref) const { return {pool_.node(ref, kInnerNodes), geometry_.inner}; }
  Node<Word> node_at(Ref ref, bool is_leaf) const { return is_leaf ? leaf_at(ref) : inner_at(ref); }

  // Searching within a node.
  int compare(const Node<Word>& node, u32 slot, const Probe& key) const;
  u32 below(const Node<Word>& node, u32 keys, const Probe& key, bool or_equal) const;
  Probe key_of(const Node<Word>& node, u32 slot, u64* words, std::string& text) const;
  u32 child_for(const Node<Word>& node, const Probe& key, bool or_equal) const {
    return below(node, node.count() - 1, key, or_equal);
  }

  // Changes of nodes. Each succeeds, or fails for lack of memory without any change.
  Ref make_node(bool is_leaf);
  Ref own(Ref ref, bool is_leaf);
  void own_path(Path& path);
  void descend_to_insert(const Probe& key, Path& path, Bound* bound);
  void grow_root();
  void split(Ref parent, u32 child, bool child_is_leaf, bool appending);
  void put(const Path& path, const Probe& key, const u8* value);
  void count_entries(const Path& path, u64 more);
  void rebalance(const Path& path);
  bool join(Ref parent, u32 child, bool children_are_leaves);
  void take(const Node<Word>& node, bool is_leaf, Loose& to) const;
  void fill(const Node<Word>& node, bool is_leaf, const Loose& from, u32 first, u32 count) const;
  void set_key(const Node<Word>& node, u32 slot, const Word* key) const;
  void move_keys(const Node<Word>& node, u32 from, u32 to, u32 count) const;
  void finish(const Node<Word>& node, u32 keys, u32 from) const;
  Word copy_text_of(const Loose& loose, u32 key);
  void release_node(Ref ref, bool is_leaf);

  // Loading.
  struct Made;
  void load_leaves(const Probes& keys, const u8* values, std::vector<Made>& made);
  void load_level(const std::vector<Made>& children, std::vector<Made>& made);
  void discard(const std::vector<std::vector<Made>>& levels);

  // Verifying.
  struct Check;

  const u32 planes_;
  const bool text_;
  const NodeKernel<Word> words_below_;  // the fastest one on this machine
};

extern template class WordTree<u32>;
extern template class WordTree<u64>;

}  // namespace lanewise::index
