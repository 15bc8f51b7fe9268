#pragma once

#include "index/tree/node.h"

// How a node is searched: the samples select the line, the line yields the key.

namespace lanewise::index {

/// How many words of a line are below `key`; the lines of the kernels say the same in instructions.
struct PlainLine {
  template <class Word>
  static LANES_FN u32 below(const Word* line, Word key) {
    u32 count = 0;
    for (u32 i = 0; i < kLine / sizeof(Word); i++) count += line[i] < key;
    return count;
  }
};

/// Which line of the keys holds the first one that is not below `key`, by the samples.
template <class Line, class Word>
LANES_FN u32 line_of(const u8* node, const NodeShape& shape, Word key) {
  const Word* samples = reinterpret_cast<const Word*>(node);
  u32 line = 0;
  for (u32 i = 0; i < shape.sample_slots; i += kLine / sizeof(Word)) line += Line::below(samples + i, key);
  return line;
}

/// How many keys of plane 0 are below `key`, given the line_of() it.
template <class Line, class Word>
LANES_FN u32 keys_below(const u8* node, const NodeShape& shape, u32 line, Word key) {
  const u32 first = line * u32(kLine / sizeof(Word));
  return first + Line::below(reinterpret_cast<const Word*>(node + shape.keys_at) + first, key);
}

}  // namespace lanewise::index
