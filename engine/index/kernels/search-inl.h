#pragma once

#include "index/kernels/line-inl.h"
#include "index/kernels/search.h"

// Many searches at once. All of a tree's leaves have the same depth, so the searches of a batch descend
// together, and each prefetches its next line long before it is needed.

namespace lanewise::index {

constexpr u32 kInFlight = 32;

template <class Line, class Word>
static inline void search_some(const TreeView& tree, const Word* keys, u32 count, Ref* leaves, u32* slots) {
  const u8* nodes[kInFlight];
  u32 at[kInFlight];
  for (u32 i = 0; i < count; i++) {
    leaves[i] = tree.root;
    nodes[i] = tree.data + u64(tree.root) * kLine;
  }
  const auto search_keys = [&](const NodeShape& shape) {
    for (u32 i = 0; i < count; i++) {
      at[i] = line_of<Line>(nodes[i], shape, keys[i]);
      __builtin_prefetch(nodes[i] + shape.keys_at + at[i] * kLine);
    }
    for (u32 i = 0; i < count; i++) {
      at[i] = keys_below<Line>(nodes[i], shape, at[i], keys[i]);
      __builtin_prefetch(nodes[i] + shape.payload_at + at[i] * shape.payload_bytes);
    }
  };
  const NodeShape inner = tree.inner;
  for (u32 level = tree.height; level > 0; level--) {
    search_keys(inner);
    const NodeShape& next = level > 1 ? inner : tree.leaf;
    for (u32 i = 0; i < count; i++) {
      leaves[i] = reinterpret_cast<const Ref*>(nodes[i] + inner.payload_at)[at[i]];
      nodes[i] = tree.data + u64(leaves[i]) * kLine;
      for (u32 byte = 0; byte < next.keys_at; byte += kLine) __builtin_prefetch(nodes[i] + byte);
    }
  }
  search_keys(tree.leaf);
  for (u32 i = 0; i < count; i++) slots[i] = at[i];
}

template <class Line, class Word>
static void search_batch(const TreeView& tree, const Word* keys, u64 count, Ref* leaves, u32* slots) {
  u64 first = 0;
  for (; first + kInFlight <= count; first += kInFlight) {
    search_some<Line>(tree, keys + first, kInFlight, leaves + first, slots + first);
  }
  if (first < count) search_some<Line>(tree, keys + first, u32(count - first), leaves + first, slots + first);
}

template <class Line, class Word>
static u32 search_node(const u8* node, const NodeShape& shape, Word key) {
  return keys_below<Line>(node, shape, line_of<Line>(node, shape, key), key);
}

}  // namespace lanewise::index
