#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Keys as steps of changes look at them: one word as it is, longer ones where they lie.

#include "index/gpu/update/update_job-inl.h"

namespace lanewise::index {

/// A key of several words in a leaf or in a list: this many words lie from one of its words to the next. The
/// second word of a text says where its bytes are, counted from the image's start (0: it has none); those of
/// a batch lie outside the image.
struct LongAt {
  const u64* words;
  u64 stride;
  u64 data;  ///< address of the image
  u32 planes;
  bool text;

  LANES_FN u64 word(u32 plane) const { return words[plane * stride]; }
  LANES_FN int order_to(const LongAt& other) const {
    for (u32 plane = 0; plane < (text ? 1 : planes); plane++) {
      const u64 mine = word(plane), others = other.word(plane);
      if (mine != others) return mine < others ? -1 : 1;
    }
    return text ? order_of_texts(data, word(1), other.word(1)) : 0;
  }
  LANES_FN bool operator<(const LongAt& other) const { return order_to(other) < 0; }
  LANES_FN bool operator==(const LongAt& other) const { return order_to(other) == 0; }
  LANES_FN bool operator!=(const LongAt& other) const { return order_to(other) != 0; }
};

template <class Word>
LANES_FN Word first_word(Word key) {
  return key;
}
LANES_FN u64 first_word(const LongAt& key) { return key.words[0]; }

/// Keys one after another: those of a leaf, or a list of changes in memory.
template <class Tree>
struct KeyList {
  using Word = typename Tree::Word;
  const Tree* tree;
  const Word* words;
  u64 step;    ///< from the first word of a key to that of the next
  u64 stride;  ///< from one word of a key to the next

  LANES_FN auto operator[](u64 i) const {
    if constexpr (Tree::kLong) {
      return LongAt{words + i * step, stride, tree->data, tree->leaf().planes, tree->text()};
    } else {
      return words[i];
    }
  }
};

template <class Tree>
LANES_FN KeyList<Tree> list_at(const Tree& tree, u64 address) {
  return {&tree, array_at<const typename Tree::Word>(address), tree.leaf().planes, 1};
}
template <class Tree>
LANES_FN KeyList<Tree> leaf_keys(const Tree& tree, const u8* leaf) {
  return {&tree, keys_of<typename Tree::Word>(leaf, tree.leaf()), 1, tree.leaf().slots};
}

/// Makes it the i-th key of a list.
template <class Tree, class Key>
LANES_FN void put_key(const Tree& tree, u64 list, u64 i, const Key& key) {
  auto* to = array_at<typename Tree::Word>(list) + i * tree.leaf().planes;
  if constexpr (Tree::kLong) {
    for (u32 plane = 0; plane < key.planes; plane++) to[plane] = key.word(plane);
  } else {
    *to = key;
  }
}
/// A key that none is below.
template <class Tree>
LANES_FN void put_lowest_key(const Tree& tree, u64 list, u64 i) {
  for (u32 plane = 0; plane < tree.leaf().planes; plane++) {
    array_at<typename Tree::Word>(list)[i * tree.leaf().planes + plane] = 0;
  }
}

/// The first place of `[first, behind)` of something in order that is not below the key; with `above`: is
/// above it.
template <bool above, class List, class Key>
LANES_FN u64 bound_in(const List& list, u64 first, u64 behind, const Key& key) {
  while (first < behind) {
    const u64 middle = (first + behind) / 2;
    if (above ? !(key < list[middle]) : list[middle] < key) {
      first = middle + 1;
    } else {
      behind = middle;
    }
  }
  return first;
}

}  // namespace lanewise::index
