#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "lanes/search/find_set.h"
#include "text/syntax/ast.h"

namespace lanewise::text::literals {

using lanes::Sequence;

/// Sequences of byte sets: at most lanes::SequenceFinder::kMost, with lengths that it supports.
using SequenceSet = std::vector<Sequence>;

struct Sequences {
  SequenceSet any;                  ///< every matching text contains one of these; empty: nothing is known
  bool exact = false;               ///< every text that contains one matches, too
  std::vector<SequenceSet> others;  ///< each has a sequence in every matching text; not estimated as rare
};

/// `full_match`: the pattern spans the whole text.
Sequences find_sequences(const syntax::Ast& ast, bool full_match);

/// A run of one-byte characters in a pattern.
struct Run {
  std::bitset<256> bytes;  ///< below 0x80
  std::bitset<256> maybe;  ///< the bytes of all its characters, including multi-byte ones
  size_t length = 0;       ///< in characters

  /// Whether all its characters are single bytes.
  bool exact() const { return bytes == maybe; }
};

/// For searches like [0-9]{3,}: the run that every matching text contains. A text with
/// `length` consecutive bytes of `bytes` matches; one without `length` consecutive bytes of `maybe` does not.
std::optional<Run> find_run(const syntax::Ast& ast, bool full_match);

/// The possible lengths of matching strings.
struct Lengths {
  size_t shortest = 0;
  std::optional<size_t> longest_match;  ///< bytes of the match itself; absent if unbounded
  bool only_at_end = false;  ///< every match ends at the end of the text, and depends on nothing before it
};
Lengths find_lengths(const syntax::Ast& ast, bool full_match);

}  // namespace lanewise::text::literals
