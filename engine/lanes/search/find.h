#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lanes/automata/rows.h"
#include "lanes/lines.h"
#include "lanes/search/find_targets.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// What the bytes before and after a literal say of its line, in which the literal is a part of what is
/// searched for: nothing matches here, something does, or more has to be looked at. The verdict is the AND of
/// both.
struct Neighbours {
  static constexpr u8 kNone = 0, kMaybe = 1, kMatch = 3;

  u8 before[256], after[256];  ///< by the byte; \n before a text's first line, too
};

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
  /// \n, the literal is not empty and holds no \n, and 64 bytes after the text are readable. Only the lines
  /// where the literal stands are looked for.
  Target match_lines(const u8* text, u64 size, std::vector<Line>& lines) const;
  /// The same where neighbours decide: lines with a match go to `lines`; to `open` go those to look at again.
  Target match_lines(const u8* text, u64 size, const Neighbours& neighbours, std::vector<Line>& lines,
                     std::vector<Line>& open) const;

  /// No place is compared in vain: two bytes are the whole literal.
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
