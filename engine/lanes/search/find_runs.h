#pragma once

#include <bitset>
#include <vector>

#include "lanes/search/find_targets.h"
#include "lanes/search/lines.h"
#include "lanes/string_rows.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Finds the rows that contain a run: a number of consecutive bytes that are all in one set. Bytes as
/// lanes: one bit per byte of the flat text says whether it is in the set. These bits are shifted and
/// combined, twice as far each time, until they mark where runs start. So the length costs little, and
/// nothing is compared.
class RunFinder {
 public:
  static constexpr u64 kLongest = 1024;

  /// Whether every target can distinguish the set's bytes from others.
  static bool offers(const std::bitset<256>& bytes);

  /// `target` must be supported here; every target is implemented, `interleaved` shares the code of `scalar`.
  /// length: 1 to kLongest.
  RunFinder(Target target, const std::bitset<256>& bytes, u64 length);

  /// Like RowMatcher::match. Adds the number of runs found to `candidates`.
  Target match(const StringRows& rows, const u64* active, u64* hits, u64* candidates = nullptr) const;

  /// Like LiteralFinder::match_lines; the set does not contain \n.
  Target match_lines(const u8* text, u64 size, std::vector<Line>& lines) const;

  Target target() const { return target_; }

 private:
  Target target_;
  u64 length_;
  KindTable bytes_;
};

}  // namespace lanewise::lanes
