#pragma once

#include <cstdint>
#include <vector>

#include "text/syntax/char_set.h"

namespace lanewise::text::automaton {

/// Up to four byte ranges in a row; the strings that fit are UTF-8 characters.
struct ByteSequence {
  struct Range {
    uint8_t lo;
    uint8_t hi;

    bool operator==(const Range&) const = default;
  };
  Range range[4];
  int size = 0;
};

/// The characters of a set as byte sequences, ascending; at each position two of them have equal or disjoint
/// ranges wherever their beginnings are equal. A range that holds all of U+0080..U+10FFFF takes the short
/// form that RE2 gives it, which lets some overlong and surrogate forms through; this keeps '.' small.
std::vector<ByteSequence> utf8_sequences(const syntax::CharSet& set);

}  // namespace lanewise::text::automaton
