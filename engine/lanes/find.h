#pragma once

#include <string>
#include <string_view>

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
  /// `target` must be supported here; every target is offered, `interleaved` shares the code of `scalar`.
  LiteralFinder(Target target, std::string_view literal);

  /// As RowMatcher::match. An empty literal is in every row.
  Target match(const Rows& rows, const u64* active, u64* hits) const;

  Target target() const { return target_; }

 private:
  Target target_;
  std::string literal_;
  u64 first_ = 0, second_ = 0;  // places of the two rarest bytes; the same one for literals of one byte
};

}  // namespace lanewise::lanes
