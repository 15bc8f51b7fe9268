#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Keys with more than one word in nodes: several words, or a text after its first eight bytes. A
// search looks for the first word as for any key, and compares the rest only among keys with the same one.

#include "index/gpu/search/node_search-inl.h"

namespace lanewise::index {

/// Four bytes of a text as a big-endian number, padded with zeros. `left` of its bytes
/// start at `from`; only words that contain some of them are read.
LANES_FN u32 four_at(const u8* from, u64 left) {
  if (left == 0) return 0;
  const u32 shift = u32(u64(from) % 4);
  const u32* words = reinterpret_cast<const u32*>(from - shift);
  u32 bytes = words[0] >> 8 * shift;
  if (shift != 0 && shift + left > 4) bytes |= words[1] << (32 - 8 * shift);
  bytes = bytes >> 24 | (bytes >> 8 & 0xff00) | (bytes << 8 & 0xff0000) | bytes << 24;
  return left < 4 ? bytes & ~(~0u >> 8 * left) : bytes;
}

/// A text in the image: pieces in slots, as `texts.cc` writes them.
struct TextPiece {
  const u8* bytes;
  u32 count;
  u64 next;  ///< slot of the next piece; 0: last piece

  LANES_FN TextPiece(u64 data, u64 at) {
    const u32* slot = reinterpret_cast<const u32*>(data + at);
    const bool linked = slot[0] % 2 != 0;
    count = slot[0] / 2;
    next = linked ? slot[1] | u64(slot[2]) << 32 : 0;
    bytes = reinterpret_cast<const u8*>(slot + (linked ? 3 : 1));
  }
  /// Skips some bytes, and moves to the next piece at the end of this one.
  LANES_FN void skip(u64 data, u32 some) {
    bytes += some;
    count -= some;
    if (count == 0 && next != 0) *this = TextPiece(data, next);
  }
};

/// Negative, 0 or positive if the text at `a` is below, equal to or above that at `b`; position 0 is an empty
/// one.
LANES_FN int order_of_texts(u64 data, u64 a, u64 b) {
  if (a == b) return 0;
  if (a == 0 || b == 0) {
    const u32 bytes = TextPiece(data, a == 0 ? b : a).count;
    return bytes == 0 ? 0 : a == 0 ? -1 : 1;
  }
  TextPiece left(data, a), right(data, b);
  for (;;) {
    const u32 common = left.count < right.count ? left.count : right.count;
    for (u32 i = 0; i < common; i += 4) {
      const u32 of_left = four_at(left.bytes + i, common - i),
                of_right = four_at(right.bytes + i, common - i);
      if (of_left != of_right) return of_left < of_right ? -1 : 1;
    }
    left.skip(data, common);
    right.skip(data, common);
    if (left.count == 0 || right.count == 0) return int(left.count != 0) - int(right.count != 0);
  }
}

/// The first eight bytes of a text as a big-endian number, padded with zeros.
LANES_FN u64 first_bytes(const u8* text, u64 bytes) {
  const u64 high = u64(four_at(text, bytes)) << 32;
  return bytes > 4 ? high | four_at(text + 4, bytes - 4) : high;
}

/// A search key: its first word, and the address of the others or of its bytes.
template <class WordType>
struct LongKey {
  using Word = WordType;
  Word word;
  const Word* words = nullptr;  ///< all of them
  const u8* text = nullptr;
  u64 bytes = 0;  ///< of the text
  u64 data = 0;   ///< of the image
  bool is_text = false;
  bool behind = false;  ///< search for the first entry above it

  /// Negative, 0 or positive if the node's key, whose first word is the same, is below, equal to or above it.
  LANES_FN int order_of(const u8* node, const NodeShape& shape, u32 slot) const {
    const Word* keys = keys_of<Word>(node, shape) + slot;
    if (is_text) return order_of_text(keys[shape.slots]);
    for (u32 plane = 1; plane < shape.planes; plane++) {
      const Word here = keys[plane * shape.slots];
      if (here != words[plane]) return here < words[plane] ? -1 : 1;
    }
    return 0;
  }

 private:
  LANES_FN int order_of_text(u64 at) const {
    u64 compared = 0;
    for (;;) {
      const TextPiece piece(data, at);
      const u64 left = bytes - compared;
      const u64 common = piece.count < left ? piece.count : left;
      for (u64 i = 0; i < common; i += 4) {
        const u32 here = four_at(piece.bytes + i, common - i),
                  sought = four_at(text + compared + i, common - i);
        if (here != sought) return here < sought ? -1 : 1;
      }
      compared += common;
      if (piece.count != common) return 1;
      if (piece.next == 0) return compared == bytes ? 0 : -1;
      at = piece.next;
    }
  }
};

/// The search key after that entry: from now on the first entry above it. True if there
/// can be none.
template <class Word>
LANES_FN bool go_behind(Word& key) {
  if (key == all_ones<Word>()) return true;
  key = Word(key + 1);
  return false;
}
template <class Word>
LANES_FN bool go_behind(LongKey<Word>& key) {
  key.behind = true;
  return false;
}

/// The search key of a query.
template <class Tree>
LANES_FN auto sought(const Tree& tree, const Job& job, u64 q) {
  if constexpr (!Tree::kLong) {
    return key_at(tree, job.keys, q);
  } else {
    using Word = typename Tree::Word;
    LongKey<Word> key;
    key.data = tree.data;
    key.is_text = tree.text();
    if (tree.text()) {
      const u64* begins = reinterpret_cast<const u64*>(job.texts) + q;
      key.text = reinterpret_cast<const u8*>(job.keys + begins[0]);
      key.bytes = begins[1] - begins[0];
      key.word = first_bytes(key.text, key.bytes);
    } else {
      key.words = reinterpret_cast<const Word*>(job.keys) + q * tree.leaf().planes;
      key.word = key.words[0];
    }
    return key;
  }
}

/// Like `First` for the first word, then binary search among keys with the same one.
template <class First>
struct ByParts {
  template <class Key, class Group>
  static LANES_FN u32 below(const Group& group, const u8* node, const NodeShape& shape, const Key& key) {
    using Word = typename Key::Word;
    const bool inner = shape.tail_at != shape.entries_at;
    const u32 keys = tail_of(node, shape).count - (inner ? 1 : 0);
    u32 low = First::below(group, node, shape, key.word);
    low = low < keys ? low : keys;
    if (low == keys || keys_of<Word>(node, shape)[low] != key.word) return low;
    u32 high = keys;
    if (key.word != all_ones<Word>()) high = First::below(group, node, shape, Word(key.word + 1));
    high = high < keys ? high : keys;
    while (low < high) {
      const u32 middle = (low + high) / 2;
      const int order = key.order_of(node, shape, middle);
      if (order < 0 || (order == 0 && key.behind)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  template <class Key, class Group>
  static LANES_FN Told find(const Group& group, const u8* leaf, const NodeShape& shape, const Key& key,
                            u32& slot) {
    slot = below(group, leaf, shape, key);
    return Told::nothing;
  }
};

}  // namespace lanewise::index
