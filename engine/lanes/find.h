#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lanes/find_targets.h"
#include "lanes/lines.h"
#include "lanes/rows.h"
#include "lanes/target.h"

namespace lanewise::lanes {

/// Finds the rows that contain a literal: bytes as lanes.
///
/// The flat text of all rows is searched at once, 64 start positions at a time: where the literal's two
/// rarest bytes stand at their distance there is a candidate. Candidates are collected by tile, compared with
/// the whole literal, and only then resolved to rows, in order; no match crosses rows. A row that has matched
/// is not looked at again.
class LiteralFinder {
 public:
  /// `target` must be supported here; every target is offered, `branching`, `auto` and
  /// `interleaved` share the code of `scalar`.
  LiteralFinder(Target target, std::string_view literal);

  /// As RowMatcher::match. An empty literal is in every row. Adds the places that were compared to
  /// `candidates`.
  Target match(const Rows& rows, const u64* active, u64* hits, u64* candidates = nullptr) const;

  /// Appends the lines of text[0, size) that contain the literal, in order. The text is empty or ends with
  /// \n, the literal is not empty and holds no \n, and 64 bytes behind the text are readable. Only the lines
  /// where the literal stands are looked for.
  Target match_lines(const u8* text, u64 size, std::vector<Line>& lines) const;

  /// No place is compared in vain: two bytes tell the whole literal.
  bool exact() const { return literal_.size() <= 2; }

  /// Places per byte of text that are compared by chance; a guess.
  double expected_candidates() const;

  Target target() const { return target_; }

 private:
  BytePair pair() const { return {first_, second_, u8(literal_[first_]), u8(literal_[second_])}; }

  Target target_;
  std::string literal_;
  u64 first_ = 0, second_ = 0;  // places of the two rarest bytes; the same one for literals of one byte
};

}  // namespace lanewise::lanes
