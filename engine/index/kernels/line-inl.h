#pragma once

#include "index/image/node.h"

// The search within a node: the samples select the line, the line yields the key.

namespace lanewise::index {

/// The number of words of a line that are below `key`; kernels do the same with instructions.
struct PlainLine {
  template <class Word>
  static LANES_FN u32 below(const Word* line, Word key) {
    u32 count = 0;
    for (u32 i = 0; i < kLine / sizeof(Word); i++) count += line[i] < key;
    return count;
  }
};

/// The line with the first key that is not below `key`, by the samples.
template <class Line, class Word>
LANES_FN u32 line_of(const u8* node, const NodeShape& shape, Word key) {
  const Word* samples = reinterpret_cast<const Word*>(node);
  u32 line = 0;
  for (u32 i = 0; i < shape.sample_slots; i += kLine / sizeof(Word)) line += Line::below(samples + i, key);
  return line;
}

/// The number of keys of plane 0 that are below `key`, given its line_of().
template <class Line, class Word>
LANES_FN u32 keys_below(const u8* node, const NodeShape& shape, u32 line, Word key) {
  const u32 first = line * u32(kLine / sizeof(Word));
  return first + Line::below(reinterpret_cast<const Word*>(node + shape.keys_at) + first, key);
}

}  // namespace lanewise::index
