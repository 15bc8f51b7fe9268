#pragma once

#include "lanes/lane.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// A line of a text, including its \n: bytes [begin, end).
struct Line {
  u32 begin, end;

  bool operator==(const Line&) const = default;
};

/// Writes the position after each \n of text[from, to) to `ends`, in order, until all are found, or
/// `capacity` of them or a few more: `ends` needs room for capacity + 64. Returns how many were written. to <
/// 2^32; up to 63 bytes after `to` are read.
u64 find_line_ends(Target target, const u8* text, u64 from, u64 to, u32* ends, u64 capacity);

/// The number of \n in text[0, size). Reads up to 63 bytes after it.
u64 count_lines(Target target, const u8* text, u64 size);

}  // namespace lanewise::lanes
