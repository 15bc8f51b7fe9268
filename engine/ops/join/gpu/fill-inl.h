#pragma once

#include "ops/join/gpu/split-inl.h"

/// Fills lookups of joins with the rows of a build side.
namespace lanewise::kernel {

#if defined(__CUDACC__)

LANES_FN void note_keys(u32* noted, u32 what) {
  if ((read<false>(*noted) & what) != what) atomicOr(noted, what);
}

/// Whether the number at the place was not there before.
LANES_FN bool put_bit(const Lookup& lookup, u64 place) {
  return !(atomicOr(lookup.at<u32>(place / 32), bit_of(place)) & bit_of(place));
}

/// Puts a row's number into a bitmap, unless the lookup is full, and its values to the number's place.
/// Returns whether it is the first one.
template <class Held>
LANES_FN bool place_row(const Lookup& lookup, u64 row, const MovedColumns& values, Held held) {
  const u64 place = held(row).number() - lookup.base;
  for (u32 i = 0; i < values.count; i++) {
    const MovedColumns::Column& column = values.columns[i];
    if (column.bytes == 1) column.move<u8>(row, place);
    if (column.bytes == 2) column.move<unsigned short>(row, place);
    if (column.bytes == 4) column.move<u32>(row, place);
    if (column.bytes == 8) column.move<u64>(row, place);
    if (column.bytes == 16) column.move<ulonglong2>(row, place);
  }
  return lookup.kind == LookupKind::kFull || put_bit(lookup, place);
}

/// Puts a row's number into the lookup, whose memory says that no key is there. Returns the row that stands
/// for its keys: this, or the one that came first, which a bitmap does not know: kNoRow.
template <class Held>
LANES_FN u32 put_number(const Lookup& lookup, u64 rows, u32 row, Held held) {
  const u64 place = held(row).number() - lookup.base;
  if (lookup.kind == LookupKind::kDirect) {
    const u32 before = atomicCAS(lookup.at<u32>(place), kNoRow, row);
    return before == kNoRow ? row : before;
  }
  if (lookup.kind == LookupKind::kBitmap) {
    return put_bit(lookup, place) ? row : kNoRow;
  }
  const auto word_of = [&](u64 other) { return (held(other).number() - lookup.base) / 32; };
  if (row > 0 && word_of(row - 1) == place / 32) return row;  // the word's first row writes it
  u32 keys = bit_of(place);
  for (u64 next = row + 1; next < rows && word_of(next) == place / 32; next++)
    keys |= bit_of(held(next).number() - lookup.base);
  *lookup.at<Ranks>(place / 32) = {keys, row};
  return row;
}

/// The rows of a warp, kPiece at a time: lanes that have nothing to do take the next ones.
class WarpRows {
 public:
  LANES_FN explicit WarpRows(u64 rows) : rows_(rows), next_(warp() * kPiece), end_(next_ + kPiece) {}

  /// Whether the lane, if it is `idle`, has a row now: `row`. All lanes call it.
  LANES_FN bool take(bool idle, u64& row) {
    const u32 idle_lanes = __ballot_sync(~0u, idle);
    const u64 taken = next_ + u32(lanes::count_bits(idle_lanes & ((1u << lane()) - 1)));
    const bool takes = idle && taken < end_ && taken < rows_;
    if (takes) row = taken;
    next_ += u32(lanes::count_bits(idle_lanes));
    if (next_ >= end_) {
      next_ = end_ + (warps() - 1) * kPiece;
      end_ = next_ + kPiece;
    }
    return takes;
  }
  LANES_FN bool is_empty() const { return next_ >= rows_; }

 private:
  static constexpr u32 kPiece = 64;
  u64 rows_, next_, end_;
};

/// What a hash table holds of a row: 32 bits of its keys, and of itself.
template <class Keys>
struct RowSlot {
  u64 home;  ///< where the search for a place begins
  u32 word, of_row;

  LANES_FN RowSlot(const Keys& keys, u32 of) : of_row(of) {
    const u64 hash = last_mix(keys.hash());
    home = home_of(hash);
    word = keys.word(hash);
  }
  LANES_FN u64 bits() const { return u64(word) << 32 | of_row; }
};

/// Puts the keys of the rows that can match, row_at(0), row_at(1) ..., into a hash table, which has a free
/// slot, each with the 32 bits `of_row(row)`. Returns what is to be noted: a row whose slot would look like a
/// free one is not put. A lane that has found a slot takes another row, so none waits for the longest search
/// of its warp.
template <class Keys, class RowAt, class CanMatch, class OfRow, class Held>
LANES_FN u32 fill_slots(const Lookup& lookup, u64 rows, RowAt row_at, CanMatch can_match, OfRow of_row,
                        Held held) {
  WarpRows left(rows);
  u32 seen = 0;
  u64 number = 0, row = 0, at = 0, bits = 0;
  for (bool searches = false; !left.is_empty() || __any_sync(~0u, searches);) {
    if (left.take(!searches, number)) {
      row = row_at(number);
      searches = can_match(row);
      if (!searches) seen |= kNullKeys;
      if (searches) {
        const RowSlot<Keys> put(held(row), of_row(row));
        at = put.home;
        bits = put.bits();
        searches = bits != kFreeSlot;
        if (!searches) seen |= kLikeFreeSlot;
      }
    }
    if (!searches) continue;
    u64& place = *lookup.at<u64>(at++ & (lookup.size - 1));
    u64 slot = read<false>(place);
    if (slot == kFreeSlot) slot = atomicCAS(&place, kFreeSlot, bits);
    searches = slot != kFreeSlot;
    if (searches && slot >> 32 == bits >> 32 && (Keys::kExact || held(row).same(held(u32(slot))))) {
      seen |= kKeysRepeat;
      searches = false;
    }
  }
  return seen;
}

/// Puts all rows that can match into a lookup of any kind, whose memory says that no key is there. Returns
/// what is to be noted.
template <class Keys, class CanMatch, class OfRow, class Held>
LANES_FN u32 fill_lookup(const Lookup& lookup, u64 rows, CanMatch can_match, OfRow of_row, Held held) {
  if constexpr (Keys::kNumber) {
    if (lookup.kind != LookupKind::kHash) {
      u32 seen = 0;
      for (u64 row = thread(); row < rows; row += threads()) {
        if (!can_match(row)) {
          seen |= kNullKeys;
        } else if (put_number(lookup, rows, u32(row), held) != row) {
          seen |= kKeysRepeat;
        }
      }
      return seen;
    }
  }
  return fill_slots<Keys>(lookup, rows, [](u64 number) { return number; }, can_match, of_row, held);
}

/// Puts the rows [first, end), whose search for a place begins in the slice of `size` slots from `begin` on,
/// into it by way of the block's shared memory: that takes the atomic operations sooner than the L2 cache.
/// Rows whose search leaves the slice are left for later: rest[0] counts them, `room` have a place after
/// that. Returns what is to be noted.
template <class Keys, class CanMatch, class OfRow, class Held>
LANES_FN u32 fill_slice(const Lookup& lookup, u64 begin, u64 size, u64 first, u64 end, CanMatch can_match,
                        OfRow of_row, Held held, u32* rest, u32 room) {
  extern __shared__ u64 slots[];
  for (u64 i = threadIdx.x; i < size; i += blockDim.x) slots[i] = kFreeSlot;
  __syncthreads();
  u32 seen = 0;
  for (u64 row = first + threadIdx.x; row < end; row += blockDim.x) {
    if (!can_match(row)) {
      seen |= kNullKeys;
      continue;
    }
    const RowSlot<Keys> put(held(row), of_row(row));
    const u64 bits = put.bits();
    if (bits == kFreeSlot) {
      seen |= kLikeFreeSlot;
      continue;
    }
    u64 at = (put.home & (lookup.size - 1)) - begin, slot = 0;
    for (; at < size; at++) {
      slot = read<false>(slots[at]);
      if (slot == kFreeSlot) slot = atomicCAS(&slots[at], kFreeSlot, bits);
      if (slot == kFreeSlot) break;
      if (slot >> 32 == bits >> 32 && (Keys::kExact || held(row).same(held(u32(slot))))) {
        seen |= kKeysRepeat;
        break;
      }
    }
    if (at < size) continue;
    const u32 place = atomicAdd(rest, 1);
    if (place < room) {
      rest[1 + place] = u32(row);
    } else {
      seen |= kSliceFull;
    }
  }
  __syncthreads();
  for (u64 i = threadIdx.x; i < size; i += blockDim.x) *lookup.at<u64>(begin + i) = slots[i];
  return seen;
}

#endif

}  // namespace lanewise::kernel
