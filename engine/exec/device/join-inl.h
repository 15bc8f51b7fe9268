#pragma once

#include "exec/device/keys-inl.h"
#include "exec/device/rows-inl.h"

/// Hash tables of joins: from keys to rows of a build side, open addressing with linear probing. A slot holds
/// a row and 32 bits of its keys, which tell nearly all others apart. A generated Keys has
///
///   u64 hash() const;
///   bool same(const Keys&) const;
///   static constexpr bool kExact;  equal words are equal keys
///   u32 word(u64 hash) const;      what a slot holds of them
namespace lanewise::kernel {

inline constexpr u64 kFreeSlot = ~u64(0);
/// What is noted of a build side's keys.
inline constexpr u32 kKeysRepeat = 1, kNullKeys = 2;

/// Where the search for keys of this hash begins: by other bits than those of word().
LANES_FN u64 home_of(u64 hash) { return hash >> 32 | hash << 32; }

/// The row of `wanted`'s keys, or kNoRow. `held(row)` gives the keys of a row.
template <class Keys, class Held>
LANES_FN u32 find_row(const u64* slots, u64 mask, const Keys& wanted, Held held) {
  const u64 hash = last_mix(wanted.hash());
  const u32 word = wanted.word(hash);
  for (u64 at = home_of(hash);; at++) {
    const u64 slot = slots[at & mask];
    if (slot == kFreeSlot) return kNoRow;
    if (u32(slot >> 32) != word) continue;
    if (Keys::kExact || wanted.same(held(u32(slot)))) return u32(slot);
  }
}

#if defined(__CUDACC__)

LANES_FN void note_keys(u32* noted, u32 what) {
  if (!(read<false>(*noted) & what)) atomicOr(noted, what);
}

/// Puts a row into the table, which has a free slot. Returns the row that stands for its keys: this, or the
/// one that came first.
template <class Keys, class Held>
LANES_FN u32 put_row(u64* slots, u64 mask, u32 row, Held held) {
  const Keys keys = held(row);
  const u64 hash = last_mix(keys.hash());
  const u32 word = keys.word(hash);
  for (u64 at = home_of(hash);; at++) {
    u64& place = slots[at & mask];
    u64 slot = read<false>(place);
    if (slot == kFreeSlot) slot = atomicCAS(&place, kFreeSlot, u64(word) << 32 | row);
    if (slot == kFreeSlot) return row;
    if (u32(slot >> 32) == word && (Keys::kExact || keys.same(held(u32(slot))))) return u32(slot);
  }
}

#endif

}  // namespace lanewise::kernel
