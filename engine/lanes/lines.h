#pragma once

#include "lanes/lane.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// A line of a text, its \n included: bytes [begin, end).
struct Line {
  u32 begin, end;

  bool operator==(const Line&) const = default;
};

/// Writes the place after each \n of text[from, to) to `ends`, in order, until all are found or `capacity`
/// of them or a few more: there must be room for capacity + 64. Returns how many were written. to < 2^32; up
/// to 63 bytes after `to` are read.
u64 find_line_ends(Target target, const u8* text, u64 from, u64 to, u32* ends, u64 capacity);

/// How many \n there are in text[0, size). Up to 63 bytes after are read.
u64 count_lines(Target target, const u8* text, u64 size);

}  // namespace lanewise::lanes
