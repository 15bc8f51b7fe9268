#pragma once

#include "lanes/find_targets.h"
#include "lanes/lane.h"

namespace lanewise::lanes {

template <class Register>
bool scan_pair(const u8* at, u64 blocks, const BytePair& pair, u64* masks) {
  const Register first = Register::splat(pair.first), second = Register::splat(pair.second);
  const u8 *first_at = at + pair.first_at, *second_at = at + pair.second_at;
  u64 any = 0;
  for (u64 i = 0; i < blocks; i++) {
    u64 mask = 0;
    LANES_UNROLL for (u32 k = 0; k < 64; k += Register::lanes) {
      const u64 from = 64 * i + k;
      const u64 pairs = Register::equal(Register::load(first_at + from), first) &
                        Register::equal(Register::load(second_at + from), second);
      mask |= pairs << k;
    }
    masks[i] = mask;
    any |= mask;
  }
  return any != 0;
}

/// The bytes of 64 that end a line, those before `count` only.
template <class Register>
LANES_FN u64 line_ends_of(const u8* at, u64 count) {
  const Register newline = Register::splat('\n');
  u64 mask = 0;
  LANES_UNROLL for (u32 k = 0; k < 64; k += Register::lanes) {
    mask |= u64(Register::equal(Register::load(at + k), newline)) << k;
  }
  return count < 64 ? mask & ((u64(1) << count) - 1) : mask;
}

template <class Register>
u64 scan_line_ends(const u8* text, u64 from, u64 to, u32* ends, u64 capacity) {
  constexpr u32 kFew = 4;  // written at once, so that no branch has to guess how many lines end here
  u32* out = ends;
  for (u64 at = from; at < to && out < ends + capacity; at += 64) {
    u64 mask = line_ends_of<Register>(text + at, to - at);
    const u32 found = count_bits(mask);
    for (u32 i = 0; i < found; i += kFew) {
      LANES_UNROLL for (u32 k = 0; k < kFew; k++, mask &= mask - 1) {
        out[i + k] = u32(at) + 1 + u32(__builtin_ctzll(mask | u64(1) << 63));
      }
    }
    out += found;
  }
  return u64(out - ends);
}

template <class Register>
u64 scan_lines(const u8* text, u64 size) {
  u64 lines = 0;
  for (u64 at = 0; at < size; at += 64) lines += count_bits(line_ends_of<Register>(text + at, size - at));
  return lines;
}

}  // namespace lanewise::lanes
