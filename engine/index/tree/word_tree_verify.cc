#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "index/tree/word_tree.h"

// Invariants of every tree and of its image.

namespace lanewise::index {

/// One walk over a tree.
template <class Word>
struct WordTree<Word>::Check {
  struct Key {
    Word words[kMaxPlanes];
    std::string text;
  };

  const WordTree& tree;
  std::optional<Key> before;  // the greatest key or bound so far
  std::optional<Key> entry;   // the last entry's key, if keys are unique

  [[noreturn]] void fail(Ref ref, const std::string& what) const {
    throw UserError(fmt::format("{}: the node at byte {} {}", tree.pool_.name(), u64{ref} * kLine, what));
  }

  /// Checks that the next key or bound of the walk is not below the previous ones.
  void pass(const Node<Word>& node, Ref ref, u32 slot) {
    u64 words[kMaxPlanes];
    std::string scratch;
    const Probe key = tree.key_of(node, slot, words, scratch);
    if (before) {
      const int order = tree.compare(node, slot, {before->words, before->text});
      if (order < 0) fail(ref, fmt::format("has keys that are out of order at {}", slot));
    }
    Key passed{{}, std::string(key.text)};
    std::copy_n(static_cast<const Word*>(key.words), tree.text_ ? 1 : tree.planes_, passed.words);
    before = std::move(passed);
  }

  void pass_entry(const Node<Word>& node, Ref ref, u32 slot) {
    if (entry && tree.compare(node, slot, {entry->words, entry->text}) == 0) {
      fail(ref, fmt::format("has the key at {} twice, but the keys are unique", slot));
    }
    pass(node, ref, slot);
    if (tree.geometry_.unique) entry = before;
  }

  void check_words(const Node<Word>& node, Ref ref, u32 keys) const {
    const u32 slots = node.shape().slots, per = node.shape().per_line();
    if (std::any_of(node.keys() + keys, node.keys() + slots, [](Word word) { return word != kAll; })) {
      fail(ref, "has words after its last key");
    }
    for (u32 line = 0; line < node.shape().sample_slots; ++line) {
      const Word sample = (line + 1) * per < slots ? node.keys()[(line + 1) * per - 1] : kAll;
      if (node.samples()[line] != sample) fail(ref, fmt::format("has a wrong sample for line {}", line));
    }
  }

  /// Returns the number of entries below the node. `last`: the tree has nothing to its right.
  u64 walk(Ref ref, u32 height, bool root, bool last) {
    const bool is_leaf = height == 0;
    const Node<Word> node = tree.node_at(ref, is_leaf);
    const u32 count = node.count(), least = is_leaf ? tree.geometry_.least_leaf : tree.geometry_.least_inner;
    if (!root && !last && count < least) fail(ref, fmt::format("has only {} entries, not {}", count, least));
    check_words(node, ref, is_leaf ? count : count - 1);
    if (is_leaf) {
      for (u32 i = 0; i < count; ++i) pass_entry(node, ref, i);
      return count;
    }
    u64 entries = 0;
    for (u32 i = 0; i < count; ++i) {
      const u64 below_it = walk(node.children()[i], height - 1, false, last && i + 1 == count);
      if (below_it != node.entries()[i]) {
        fail(ref,
             fmt::format("counts {} entries below child {}, which has {}", node.entries()[i], i, below_it));
      }
      entries += below_it;
      if (i + 1 < count) pass(node, ref, i);
    }
    return entries;
  }
};

template <class Word>
void WordTree<Word>::verify(const Root& root) const {
  pool_.trust(root);
  Check check{*this, std::nullopt, std::nullopt};
  const u64 entries = check.walk(root.node, root.height, true, true);
  if (entries != root.entries) {
    throw UserError(fmt::format("{}: has {} entries, not {}", pool_.name(), entries, root.entries));
  }
}

template class WordTree<u32>;
template class WordTree<u64>;

}  // namespace lanewise::index
