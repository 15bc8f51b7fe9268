#pragma once

#include <cstdint>
#include <vector>

#include "text/syntax/char_set.h"

namespace lanewise::text::automaton {

/// Up to four consecutive byte ranges; the strings that match are UTF-8 characters.
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
/// ranges if all earlier ranges are equal. A range that contains all of U+0080..U+10FFFF takes RE2's short
/// form, which accepts some overlong and surrogate forms; this keeps '.' small.
std::vector<ByteSequence> utf8_sequences(const syntax::CharSet& set);

}  // namespace lanewise::text::automaton
