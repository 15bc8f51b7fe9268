#pragma once

#include <cstddef>

#include "lanes/tuning.h"

namespace lanewise::text::forms {

constexpr double kUsualRow = 64;  ///< bytes

/// What a form takes, in nanoseconds of a core: what counts is how forms compare.
struct Cost {
  double per_byte = 0;  ///< of all rows
  double per_row = 0;
  double on_candidates = 0;  ///< per byte, for what is found by chance: a guess until it is measured

  /// Per byte, with rows of so many bytes each.
  double per_byte_of(double row) const { return per_byte + per_row / row + on_candidates; }
  double per_usual_byte() const { return per_byte_of(kUsualRow); }
};

/// What looking at text takes on lanes of one target, in nanoseconds per byte: of the machine's widest target
/// as `tuning` has measured it, else as it was measured once.
class Costs {
 public:
  Costs(lanes::Target target, const lanes::Tuning& tuning);

  /// Bytes as lanes: to look at `places` of each start position.
  double scan(size_t places) const;
  /// Rows as lanes, an automaton of so many entries (states x classes).
  double packed(size_t entries = 0) const;
  /// The same for an automaton in a table.
  double rows() const { return rows_; }
  /// The cost of the cheaper one, where an automaton is not known yet.
  double automaton() const { return packed() < rows_ ? packed() : rows_; }
  /// The cost of an automaton that is made while matching.
  double lazy() const { return lazy_; }

 private:
  double scan_base_, scan_place_, packed_, rows_, lazy_;
  bool wide_;  // registers of 64 bytes
};

/// To compare and to resolve one candidate.
constexpr double kCandidateCost = 6;
/// To pick a row out of others for a closer look.
constexpr double kPickCost = 5;
/// To test one row by a comparison of a few bytes.
constexpr double kTestCost = 1;

}  // namespace lanewise::text::forms
