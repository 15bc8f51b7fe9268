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

}  // namespace lanewise::lanes
