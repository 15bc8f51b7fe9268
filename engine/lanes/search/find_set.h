#pragma once

#include <array>
#include <bitset>
#include <span>
#include <vector>

#include "lanes/automata/rows.h"
#include "lanes/lines.h"
#include "lanes/search/find_targets.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Strings of one length: at each place one byte of a set.
using Sequence = std::vector<std::bitset<256>>;

/// Finds the rows that contain one of several sequences: bytes as lanes.
///
/// The flat text of all rows is searched at once, 64 start positions at a time: up to four neighbouring
/// bytes, the rarest ones, are looked up at once, for up to eight kinds of sequences. Candidates are compared
/// with all sequences at once, a bit for each, and only then resolved to rows; no match crosses rows.
class SequenceFinder {
 public:
  static constexpr size_t kMost = 64;     ///< sequences
  static constexpr size_t kLongest = 64;  ///< bytes of each, at least one

  /// `target` must be supported here; every target is offered, `interleaved` shares the code of `scalar`.
  SequenceFinder(Target target, std::span<const Sequence> sequences);

  /// As RowMatcher::match. Adds the places that were compared to `candidates`.
  Target match(const Rows& rows, const u64* active, u64* hits, u64* candidates = nullptr) const;

  /// As LiteralFinder::match_lines; no sequence takes a \n.
  Target match_lines(const u8* text, u64 size, std::vector<Line>& lines) const;

  /// Whether text[0, size) contains one of the sequences.
  bool in(const u8* text, u64 size) const;

  /// Neighbouring bytes that are looked up at each start position.
  u32 places() const { return fingerprint_.size; }
  Target target() const { return target_; }

 private:
  friend class SequenceNeedle;

  Target target_;
  u64 shortest_, longest_;
  u64 all_;                                  // a bit for each sequence
  std::vector<std::array<u64, 256>> takes_;  // of each place and byte: the sequences that take it there
  std::vector<u64> ends_;                    // the sequences whose last place this is
  Fingerprint fingerprint_{};
};

/// How often, per byte of text, the best fingerprint of these sequences is there by chance; a guess.
double expected_candidates(std::span<const Sequence> sequences);

}  // namespace lanewise::lanes
