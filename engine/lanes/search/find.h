#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lanes/search/find_targets.h"
#include "lanes/search/lines.h"
#include "lanes/string_rows.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// How the bytes before and after a literal decide its line, if the literal is only a part of the
/// pattern: no match here, a match, or further work. The verdict is the AND of
/// both.
struct Neighbours {
  static constexpr u8 kNone = 0, kMaybe = 1, kMatch = 3;

  u8 before[256], after[256];  ///< by byte value; \n before the first line, too
};

/// Finds the rows that contain a literal: bytes as lanes.
///
/// The flat text of all rows is searched at once, 64 start positions at a time: a candidate is a position
/// with the literal's two rarest bytes at their distance. Candidates are collected by tile, compared with the
/// whole literal, and only then resolved to rows, in order; no match crosses rows. A row that has matched is
/// skipped from then on.
class LiteralFinder {
 public:
  /// `target` must be supported here; every target is implemented, `branching`, `auto` and
  /// `interleaved` share the code of `scalar`.
  LiteralFinder(Target target, std::string_view literal);

  /// Like RowMatcher::match. An empty literal is in every row. Adds the number of compared positions to
  /// `candidates`.
  Target match(const StringRows& rows, const u64* active, u64* hits, u64* candidates = nullptr) const;

  /// Appends the lines of text[0, size) that contain the literal, in order. The text is empty or ends with
  /// \n, the literal is not empty and contains no \n, and 64 bytes after the text are readable. Only lines
  /// that contain the literal are delimited.
  Target match_lines(const u8* text, u64 size, std::vector<Line>& lines) const;
  /// The same, decided by neighbours: lines with a match go to `lines`, lines that need further work to
  /// `open`.
  Target match_lines(const u8* text, u64 size, const Neighbours& neighbours, std::vector<Line>& lines,
                     std::vector<Line>& open) const;

  /// Every candidate is a match: two bytes are the whole literal.
  bool exact() const { return literal_.size() <= 2; }

  /// Estimated fraction of positions that are compared needlessly.
  double expected_candidates() const;

  Target target() const { return target_; }

 private:
  BytePair pair() const { return {first_, second_, u8(literal_[first_]), u8(literal_[second_])}; }

  Target target_;
  std::string literal_;
  u64 first_ = 0, second_ = 0;  // positions of the two rarest bytes; equal for literals of one byte
};

}  // namespace lanewise::lanes
