#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// A tree in device memory, the queries on it, and the mapping of its keys to words.

#include "index/gpu/search/once-inl.h"
#include "index/image/node.h"

#if defined(__CUDACC__)
#define INDEX_UNROLL _Pragma("unroll")
#else
#define INDEX_UNROLL
#endif

namespace lanewise::index {

constexpr u32 kNone = ~0u;

/// A tree in memory, as kernels see it. The host has checked it.
struct TreeAt {
  u64 data;     ///< address of the image
  u64 entries;  ///< of the whole tree
  Ref root;
  u32 unused = 0;
};

/// How keys are given and returned.
enum class KeyForm : u32 {
  words,     ///< as in nodes
  integers,  ///< signed
  reals,     ///< IEEE 754
};

/// Arguments of kernels; each operation states which parts it reads. Addresses; 0: not used.
struct Job {
  u64 count = 0;       ///< of queries
  u64 keys = 0;        ///< search keys; ranges: lower bounds; strings: their bytes
  u64 texts = 0;       ///< u64: start of each string in `keys`, and the end of the last one
  u64 highs = 0;       ///< ranges: upper bounds
  u32 above = 0;       ///< search for the first entry above a key, not the first one that is not below it
  u32 with_highs = 0;  ///< entries equal to a range's upper bound are included
  u32 level = 0;       ///< of the searched nodes
  u64 found = 0;       ///< a bit for each query, initially zero
  u64 values = 0;      ///< of each query; ranges: of its entries
  u64 positions = 0;   ///< u64 of each query, result or input
  u64 offsets = 0;     ///< u64, ranges: start of each query's places, and the end of the last one; else:
  u64 limit = 0;       ///< this many places for each
  u64 range_keys = 0;  ///< of the entries
  u64 counts = 0;      ///< u32: number of entries of each query
  u64 nodes = 0;       ///< Ref for [level][query]: nodes of the descent
  u64 slots = 0;       ///< u32 likewise
};

/// The tree of one layout and height, both compile-time constants.
template <class WordType, KeyForm kForm, u32 kLeafKeys, u32 kInnerKeys, u32 kValueBytes, u32 kHeight,
          u32 kPlanes = 1, bool kText = false>
struct FixedTree : TreeAt {
  using Word = WordType;
  static constexpr KeyForm form = kForm;
  static constexpr u32 kLevels = kHeight + 1;
  static constexpr bool kLong = kPlanes > 1;  ///< keys are LongKeys

  LANES_FN explicit FixedTree(const TreeAt& at) : TreeAt(at) {}
  static LANES_FN constexpr u32 height() { return kHeight; }
  static LANES_FN constexpr bool text() { return kText; }
  static LANES_FN constexpr NodeShape inner() {
    return node_shape(true, sizeof(Word), kPlanes, kInnerKeys, 0);
  }
  static LANES_FN constexpr NodeShape leaf() {
    return node_shape(false, sizeof(Word), kPlanes, kLeafKeys, kValueBytes);
  }
};

/// The nodes from the root to a leaf, [0], and the slot in each.
template <u32 kLevels>
struct Trail {
  Ref nodes[kLevels];
  u32 slots[kLevels];
};

template <class Word>
LANES_FN constexpr Word all_ones() {
  return Word(~Word(0));
}

/// As KeyLayout maps keys.
template <KeyForm form, class Word>
LANES_FN Word to_word(Word key) {
  constexpr Word kTop = Word(1) << (8 * sizeof(Word) - 1);
  constexpr Word kInfinity = sizeof(Word) == 4 ? Word(0x7f800000) : Word(0x7ff0000000000000);
  if constexpr (form == KeyForm::integers) {
    return key ^ kTop;
  } else if constexpr (form == KeyForm::reals) {
    if ((key & ~kTop) > kInfinity) return all_ones<Word>();
    if (key == kTop) return kTop;  // -0.0
    return key & kTop ? Word(~key) : key | kTop;
  } else {
    return key;
  }
}

template <KeyForm form, class Word>
LANES_FN Word from_word(Word word) {
  constexpr Word kTop = Word(1) << (8 * sizeof(Word) - 1);
  if constexpr (form == KeyForm::integers) {
    return word ^ kTop;
  } else if constexpr (form == KeyForm::reals) {
    return word & kTop ? word ^ kTop : Word(~word);
  } else {
    return word;
  }
}

template <class Tree>
LANES_FN auto key_at(const Tree&, u64 keys, u64 q) {
  using Word = typename Tree::Word;
  return to_word<Tree::form>(Once::load(reinterpret_cast<const Word*>(keys) + q));
}

template <class Tree>
LANES_FN u8* node_at(const Tree& tree, Ref ref) {
  return reinterpret_cast<u8*>(tree.data + u64(ref) * kLine);
}
LANES_FN const NodeTail& tail_of(const u8* node, const NodeShape& shape) {
  return *reinterpret_cast<const NodeTail*>(node + shape.tail_at);
}
LANES_FN Ref child_of(const u8* node, const NodeShape& inner, u32 slot) {
  return reinterpret_cast<const Ref*>(node + inner.payload_at)[slot];
}
template <class Word>
LANES_FN const Word* keys_of(const u8* node, const NodeShape& shape) {
  return reinterpret_cast<const Word*>(node + shape.keys_at);
}

}  // namespace lanewise::index
