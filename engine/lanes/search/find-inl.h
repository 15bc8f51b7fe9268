#pragma once

#include "lanes/lane.h"
#include "lanes/search/find_targets.h"

namespace lanewise::lanes {

/// Prefetch distance for text: beyond the end of a page, where the core's own prefetching stops.
constexpr u64 kAhead = 2048;

/// Fills masks[i] from masked(from), the matching lanes of the register at each start position.
template <class Register, class Masked>
LANES_FN u64 scan(const u8* at, u64 blocks, u64* masks, Masked&& masked) {
  u64 found = 0;
  for (u64 i = 0; i < blocks; i++) {
    __builtin_prefetch(at + 64 * i + kAhead);
    u64 mask = 0;
    LANES_UNROLL for (u32 k = 0; k < 64; k += Register::lanes) mask |= u64(masked(at + 64 * i + k)) << k;
    masks[i] = mask;
    found |= u64(mask != 0) << i;
  }
  return found;
}

template <class Register>
u64 scan_pair(const u8* at, u64 blocks, const BytePair& pair, u64* masks) {
  const Register first = Register::splat(pair.first), second = Register::splat(pair.second);
  return scan<Register>(at, blocks, masks, [&](const u8* from) {
    return Register::equal(Register::load(from + pair.first_at), first) &
           Register::equal(Register::load(from + pair.second_at), second);
  });
}

template <class Register, class Kinds, u32 kSize>
u64 scan_fingerprint(const u8* at, u64 blocks, const Fingerprint& fingerprint, u64* masks) {
  const Kinds first(fingerprint.kinds[0]), second(fingerprint.kinds[kSize > 1]),
      third(fingerprint.kinds[kSize > 2 ? 2 : 0]), fourth(fingerprint.kinds[kSize > 3 ? 3 : 0]);
  return scan<Register>(at + fingerprint.first_at, blocks, masks, [&](const u8* from) {
    Register shared = first(Register::load(from));
    if constexpr (kSize > 1) shared = Register::both(shared, second(Register::load(from + 1)));
    if constexpr (kSize > 2) shared = Register::both(shared, third(Register::load(from + 2)));
    if constexpr (kSize > 3) shared = Register::both(shared, fourth(Register::load(from + 3)));
    return Register::greater(shared, Register::splat(0));
  });
}

template <class Register, class Kinds>
u64 scan_fingerprint(const u8* at, u64 blocks, const Fingerprint& fingerprint, u64* masks) {
  switch (fingerprint.size) {
    case 1:
      return scan_fingerprint<Register, Kinds, 1>(at, blocks, fingerprint, masks);
    case 2:
      return scan_fingerprint<Register, Kinds, 2>(at, blocks, fingerprint, masks);
    case 3:
      return scan_fingerprint<Register, Kinds, 3>(at, blocks, fingerprint, masks);
    default:
      return scan_fingerprint<Register, Kinds, 4>(at, blocks, fingerprint, masks);
  }
}

template <class Register, class Kinds>
u64 scan_members(const u8* at, u64 blocks, const KindTable& set, u64* masks) {
  const Kinds kinds(set);
  return scan<Register>(at, blocks, masks, [&](const u8* from) {
    return Register::greater(kinds(Register::load(from)), Register::splat(0));
  });
}

/// The bytes of 64 that end a line, only those before `count`.
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
  constexpr u32 kFew = 4;  // written unconditionally, so that no branch depends on the number of lines
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
