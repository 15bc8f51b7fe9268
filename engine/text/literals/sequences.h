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

/// Sequences of byte sets: at most lanes::SequenceFinder::kMost, of its lengths.
using SequenceSet = std::vector<Sequence>;

struct Sequences {
  SequenceSet any;                  ///< every matching text contains one of these; empty: nothing is known
  bool exact = false;               ///< every text that contains one matches, too
  std::vector<SequenceSet> others;  ///< what every matching text contains as well, by guess not as rare
};

/// `full_match`: the pattern spans the whole text.
Sequences find_sequences(const syntax::Ast& ast, bool full_match);

/// A run of one-byte characters that a pattern is about.
struct Run {
  std::bitset<256> bytes;  ///< below 0x80
  std::bitset<256> maybe;  ///< the bytes of all its characters, those of several bytes too
  size_t length = 0;       ///< in characters

  /// Whether all its characters are single bytes.
  bool exact() const { return bytes == maybe; }
};

/// For patterns like [0-9]{3,} that are searched for: the run that every matching text contains. A text that
/// contains `length` neighbours of `bytes` matches; one without `length` neighbours of `maybe` does not.
std::optional<Run> find_run(const syntax::Ast& ast, bool full_match);

/// How long strings are that match.
struct Lengths {
  size_t shortest = 0;
  std::optional<size_t> longest_match;  ///< bytes of the match itself; nothing where it is unbounded
  bool only_at_end = false;  ///< every match ends where the text does, and looks at nothing before it
};
Lengths find_lengths(const syntax::Ast& ast, bool full_match);

}  // namespace lanewise::text::literals
