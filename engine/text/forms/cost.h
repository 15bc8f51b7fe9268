#pragma once

#include <cstddef>

#include "lanes/tuning.h"

namespace lanewise::text::forms {

constexpr double kUsualRow = 64;  ///< bytes

/// The cost of a strategy, in nanoseconds of a core, for comparing strategies.
struct Cost {
  double per_byte = 0;  ///< all rows count
  double per_row = 0;
  double on_candidates = 0;  ///< per byte, for false candidates: an estimate until it is measured

  /// The cost per byte for rows of this many bytes.
  double per_byte_of(double row) const { return per_byte + per_row / row + on_candidates; }
  double per_usual_byte() const { return per_byte_of(kUsualRow); }
};

/// Costs on lanes of one target, in nanoseconds per byte: for the machine's widest target
/// as measured in `tuning`, else built-in measurements.
class Costs {
 public:
  Costs(lanes::Target target, const lanes::Tuning& tuning);

  /// Bytes as lanes: comparing `places` bytes at each start position.
  double scan(size_t places) const;
  /// Rows as lanes, for an automaton with this many entries (states x classes).
  double packed(size_t entries = 0) const;
  /// The same for an automaton in a table.
  double rows() const { return rows_; }
  /// The cost of the cheaper one, for an automaton that is not built yet.
  double automaton() const { return packed() < rows_ ? packed() : rows_; }
  /// The cost of a lazy automaton.
  double lazy() const { return lazy_; }

 private:
  double scan_base_, scan_place_, packed_, rows_, lazy_;
  bool wide_;  // registers of 64 bytes
};

/// The cost of comparing and resolving one candidate.
constexpr double kCandidateCost = 6;
/// The cost of selecting a row for a closer look.
constexpr double kPickCost = 5;
/// The cost of testing one row by a comparison of a few bytes.
constexpr double kTestCost = 1;

}  // namespace lanewise::text::forms
