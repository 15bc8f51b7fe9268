#pragma once

#include <array>
#include <bitset>
#include <span>
#include <vector>

#include "lanes/search/find_targets.h"
#include "lanes/search/lines.h"
#include "lanes/string_rows.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Strings of one length: at each position one byte of a set.
using Sequence = std::vector<std::bitset<256>>;

/// Finds the rows that contain one of several sequences: bytes as lanes.
///
/// The flat text of all rows is searched at once, 64 start positions at a time: up to four consecutive
/// bytes, the rarest ones, are looked up at once, for up to eight buckets of sequences. Candidates are
/// compared with all sequences at once, a bit for each, and only then resolved to rows; no match crosses
/// rows.
class SequenceFinder {
 public:
  static constexpr size_t kMost = 64;     ///< sequences
  static constexpr size_t kLongest = 64;  ///< of each, at least one byte

  /// `target` must be supported here; every target is implemented, `interleaved` shares the code of `scalar`.
  SequenceFinder(Target target, std::span<const Sequence> sequences);

  /// Like RowMatcher::match. Adds the number of compared positions to `candidates`.
  Target match(const StringRows& rows, const u64* active, u64* hits, u64* candidates = nullptr) const;

  /// Like LiteralFinder::match_lines; no sequence contains \n.
  Target match_lines(const u8* text, u64 size, std::vector<Line>& lines) const;

  /// Whether text[0, size) contains one of the sequences.
  bool in(const u8* text, u64 size) const;

  /// Consecutive bytes that are looked up at each start position.
  u32 places() const { return fingerprint_.size; }
  Target target() const { return target_; }

 private:
  friend class SequenceNeedle;

  Target target_;
  u64 shortest_, longest_;
  u64 all_;                                  // a bit for each sequence
  std::vector<std::array<u64, 256>> takes_;  // for each position and byte: the sequences that accept it there
  std::vector<u64> ends_;                    // the sequences that end at this position
  Fingerprint fingerprint_{};
};

/// Estimated chance matches, per byte of text, of the best fingerprint of these sequences.
double expected_candidates(std::span<const Sequence> sequences);

}  // namespace lanewise::lanes
