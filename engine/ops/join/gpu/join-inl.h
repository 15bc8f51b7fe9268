#pragma once

#include "codegen/keys-inl.h"
#include "codegen/rows-inl.h"

/// Lookups of joins: from keys to rows of a build side. A generated Keys has
///
///   u64 hash() const;
///   bool same(const Keys&) const;
///   static constexpr bool kExact;   equal words are equal keys
///   u32 word(u64 hash) const;       what a slot holds of them
///   static constexpr bool kNumber;  they are one integer of up to 64 bits
///   u64 number() const;             where they are: in the integers' order
namespace lanewise::kernel {

enum class LookupKind : u64 {
  kHash,    ///< slots of a row, or its value, and 32 bits of its keys, open addressing with linear probing
  kDirect,  ///< a row for each number from `base` on
  kRanks,   ///< of keys that ascend with their rows: Ranks
  kBitmap,  ///< a bit for each number; a row is at its number's place, or it is never looked up
  kRuns,    ///< Matches for each number: of no rows where it is not a key. Runs are in the order of numbers
  kFull     ///< all numbers are keys, each of `table` rows in the order of numbers: nothing is read
};

/// 32 numbers: those that are keys, and how many keys are less than all of them.
struct alignas(8) Ranks {
  u32 keys, before;
};

struct Lookup {
  LookupKind kind;
  u64 table;
  u64 size;  ///< numbers; of a hash table: slots, a power of two
  u64 base;

  template <class T>
  LANES_FN T* at(u64 place) const {
    return reinterpret_cast<T*>(table) + place;
  }
};

/// Columns whose values go where their rows go: addresses, and bytes of a value, 1, 2, 4, 8 or 16.
struct MovedColumns {
  static constexpr u32 kMost = 16;
  struct Column {
    u64 from, to;
    u32 bytes;

    template <class T>
    LANES_FN void move(u64 row, u64 place) const {
      reinterpret_cast<T*>(to)[place] = reinterpret_cast<const T*>(from)[row];
    }
  };
  u32 count;
  Column columns[kMost];
};

inline constexpr u64 kFreeSlot = ~u64(0);
/// What is noted of a build side's keys.
inline constexpr u32 kKeysRepeat = 1, kNullKeys = 2, kNotAscending = 4, kLikeFreeSlot = 8, kSliceFull = 16;

/// The number of a key's bits: of signed ones the sign comes first in the integers' order.
template <class T>
LANES_FN u64 number_of(u64 bits) {
  return T(-1) < T(0) ? bits ^ u64(1) << 63 : bits;
}

/// The least and the greatest number of a build side's keys, and what is noted of them.
struct KeyBounds {
  u64 low, high;
  u32 noted;

#if defined(__CUDACC__)
  template <class Held>
  LANES_FN void take(u64 row, Held held) {
    const u64 number = held(row).number();
    low = number < low ? number : low;
    high = number > high ? number : high;
    if (row > 0 && held(row - 1).number() >= number) noted |= kNotAscending;
  }
  /// What the lanes of a warp saw becomes part of `all`.
  LANES_FN void give(KeyBounds* all) {
    for (u32 distance = 16; distance; distance /= 2) {
      const u64 less = __shfl_xor_sync(~0u, low, distance), more = __shfl_xor_sync(~0u, high, distance);
      low = less < low ? less : low;
      high = more > high ? more : high;
      noted |= __shfl_xor_sync(~0u, noted, distance);
    }
    if (lane() != 0) return;
    atomicMin(reinterpret_cast<unsigned long long*>(&all->low), low);
    atomicMax(reinterpret_cast<unsigned long long*>(&all->high), high);
    if (noted) atomicOr(&all->noted, noted);
  }
#endif
};

/// Where the search for keys of this hash begins: by other bits than those of word().
LANES_FN u64 home_of(u64 hash) { return hash >> 32 | hash << 32; }

LANES_FN u32 bit_of(u64 number) { return 1u << (number & 31); }

/// The row of the number, or its run, or kNoRow.
LANES_FN u32 find_number(const Lookup& lookup, u64 number) {
  const u64 place = number - lookup.base;
  if (place >= lookup.size) return kNoRow;
  if (lookup.kind == LookupKind::kDirect) return *lookup.at<const u32>(place);
  if (lookup.kind == LookupKind::kBitmap)
    return *lookup.at<const u32>(place / 32) & bit_of(place) ? u32(place) : kNoRow;
  if (lookup.kind == LookupKind::kFull) return u32(place);
  if (lookup.kind == LookupKind::kRuns) return lookup.at<const Matches>(place)->count ? u32(place) : kNoRow;
  const Ranks ranks = *lookup.at<const Ranks>(place / 32);
  return ranks.keys & bit_of(place) ? ranks.before + u32(lanes::count_bits(ranks.keys & (bit_of(place) - 1)))
                                    : kNoRow;
}

/// The slot of `wanted`'s keys in a hash table, or kFreeSlot. `held(row)` gives the keys of a row.
template <class Keys, class Held>
LANES_FN u64 find_slot(const Lookup& lookup, const Keys& wanted, Held held) {
  const u64 hash = last_mix(wanted.hash());
  const u32 word = wanted.word(hash);
  for (u64 at = home_of(hash);; at++) {
    const u64 slot = *lookup.at<const u64>(at & (lookup.size - 1));
    if (slot == kFreeSlot) return slot;
    if (u32(slot >> 32) != word) continue;
    if (Keys::kExact || wanted.same(held(u32(slot)))) return slot;
  }
}

/// The row of `wanted`'s keys, or kNoRow.
template <class Keys, class Held>
LANES_FN u32 find_row(const Lookup& lookup, const Keys& wanted, Held held) {
  if constexpr (Keys::kNumber) {
    if (lookup.kind != LookupKind::kHash) return find_number(lookup, wanted.number());
  }
  return u32(find_slot(lookup, wanted, held));
}

/// The place's Matches, by one load.
LANES_FN Matches matches_at(const Matches* runs, u64 place) {
  const u64 matches = reinterpret_cast<const u64*>(runs)[place];
  return {u32(matches), u32(matches >> 32)};
}

/// The run of `wanted`'s keys, of no rows where there is none.
template <class Keys, class Held>
LANES_FN Matches find_run(const Lookup& lookup, const Matches* runs, const Keys& wanted, Held held) {
  if constexpr (Keys::kNumber) {
    if (lookup.kind == LookupKind::kRuns || lookup.kind == LookupKind::kFull) {
      const u64 place = wanted.number() - lookup.base;
      if (place >= lookup.size) return {0, 0};
      if (lookup.kind == LookupKind::kRuns) return matches_at(runs, place);
      return {u32(place * lookup.table), u32(lookup.table)};
    }
  }
  const u32 found = find_row(lookup, wanted, held);
  return found == kNoRow ? Matches{0, 0} : matches_at(runs, found);
}

}  // namespace lanewise::kernel
