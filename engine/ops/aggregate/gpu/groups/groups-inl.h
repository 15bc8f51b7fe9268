#pragma once

#include "codegen/keys-inl.h"
#include "codegen/rows-inl.h"

/// Groups in hash tables: a far table in device memory, and a small near table in each block's shared memory,
/// whose groups are merged into the far one at the end. A generated Slot begins with `tag` and `nulls` and
/// has keys and cells:
///
///   u64 hash() const;                    of the keys, by mix(), without the bytes of long strings
///   bool same<kShared>(u64 first, const Slot& held) const;
///                                        whether a table's slot `held`, whose first key begins with the word
///                                        `first`, has the same keys; without the bytes of long strings
///   void take_key<kShared>(const Slot&); stores the keys
///   void merge<kShared>(const Slot&);    merges the cells
///   static constexpr u32 kTexts;         number of keys that are long strings
///   Key<Text> text(u32 i) const;         the i-th of these
///   const u64& rest(u32 i) const;        its second word
///   static constexpr bool kMakesTexts;   whether its kernel may write such strings
///
/// With many groups, nearly every row updates a random place in device memory. So rows may first be sorted by
/// parts, which are adjacent pieces of the far table. A block then sees many rows of few groups, which fit
/// into its near table, and merges them into neighbouring places of the far table.
namespace lanewise::kernel {

inline constexpr u32 kGroupThreads = 512;  // of a block
inline constexpr u32 kPartBits = 16;       // the logarithm of the number of parts
inline constexpr u32 kRecordWords = 4;     // a warp takes this many times 32 Records at a time

/// What happened to a batch of rows.
struct GroupOutcome {
  u64 came;      ///< number of rows
  u32 full;      ///< the table was too small; its content is invalid
  u32 overflow;  ///< a sum does not fit its type
  u32 sampled;   ///< number of sampled groups: about one in kSampled
  u32 unused;
};

inline constexpr u32 kSampled = 64;

// The near table: slots that a search for a key may read, most copies of a group, and most slots in use.
inline constexpr u32 kNearProbes = 16, kCopies = 8;
constexpr u32 most_used_of(u32 slots) { return slots - slots / 4; }
/// Lanes that update the same slot wait for each other. While no more slots than this are in use, each group
/// has several copies. This is tested after a warp's first rows: if there are many groups, many are in the
/// table by then, and their copies do not fill it.
constexpr u32 few_used_of(u32 slots) {
  const u32 most = most_used_of(slots) / kCopies;
  return most < 64 ? most : 64;
}

/// The logarithm of a power of two.
constexpr u32 log2_of(u32 power) { return power == 1 ? 0 : 1 + log2_of(power / 2); }

/// The hash of a slot's keys.
template <class Slot>
LANES_FN u64 hash_of(const Slot& slot) {
  u64 hash = slot.hash();
  if constexpr (Slot::kTexts != 0) {
    LANEWISE_ROLLED
    for (u32 i = 0; i < Slot::kTexts; i++) hash = slot.text(i).hash_bytes(hash);
  }
  return hash;
}

/// The part of a row with this hash, in the lowest kPartBits bits. A part is 2^shift adjacent slots of a
/// table of 2^(shift + kPartBits) slots.
LANES_FN u32 part_of(u64 hash, u64 shift) { return u32(last_mix(hash) >> shift); }

/// The tag of a slot that is neither empty nor busy. The copies of a group have different tags.
LANES_FN u32 tag_of(u64 hash, u32 copy) { return (u32(hash >> 32) & ~15u) | 8 | copy; }

/// Whether the bytes of long strings are the same; called after same() returned true.
template <bool kShared, class Slot>
LANES_FN bool same_texts(const Slot& wanted, const Slot& held) {
  if constexpr (Slot::kTexts != 0) {
    LANEWISE_ROLLED
    for (u32 i = 0; i < Slot::kTexts; i++) {
      if (!wanted.text(i).same_bytes(read<kShared>(held.rest(i)))) return false;
    }
  }
  return true;
}

/// A hash table with linear probing. Slot i is at `slots[i * stride]`; their number is a power of two. With
/// `kKeepsHash`, each slot is followed by a word with its hash.
template <class Slot, bool kShared, bool kKeepsHash = false>
struct SlotTable {
  static constexpr u32 kEmpty = 0, kBusy = 1;

  u8* slots;
  u64 mask;
  u32 stride;
  u32 probes;  ///< slots that a search for a key may read

  LANES_FN Slot& at(u64 i) const { return *reinterpret_cast<Slot*>(slots + (i & mask) * stride); }
  static LANES_FN u64& kept_hash(Slot& slot) { return *reinterpret_cast<u64*>(&slot + 1); }

  /// Finds the slot with wanted's keys and number `copy` (below kCopies), from slot `start` on. Creates it if
  /// `claim()` allows; otherwise null. All of the warp's `lanes` must call it: they search until each has a
  /// candidate, then compare strings together. A lane that holds a busy slot never waits for another lane.
  template <class Claim>
  LANES_FN Slot* find(u32 lanes, const Slot& wanted, u32 copy, u64 hash, u64 start, Claim claim) const {
    const u32 tag = tag_of(hash, copy);
    const u64 head = u64(wanted.nulls) << 32 | tag;
    Slot* slot = nullptr;
    u64 first = 0;
    u32 probed = 0;
    bool open = true;
    bool fenced = false;  // the slot's keys are read after its tag
    const auto miss = [&] {
      fenced = false;
      if (++probed < probes) return;
      open = false;
      slot = nullptr;
    };
    // Without long strings to compare, lanes need not wait for each other.
    const auto any = [&](bool is) { return Slot::kTexts ? any_of(lanes, is) : is; };
    do {
      bool maybe = false;  // the slot's strings must be compared
      while (any(open && !maybe)) {
        if (!open || maybe) continue;
        slot = &at(start + probed);
        u64 seen;
        read_pair<kShared>(slot, seen, first);
        if (seen == head && wanted.template same<kShared>(first, *slot)) {
          maybe = Slot::kTexts;
          open = maybe;
        } else if (seen == head && !fenced) {  // other keys may have been read before they were written
          fence<kShared>();
          fenced = true;
        } else if (u32(seen) == kEmpty) {
          if (!claim()) {
            open = false;
            slot = nullptr;
          } else if (exchange_if(slot->tag, kEmpty, kBusy) == kEmpty) {  // else another thread was faster
            slot->template take_key<kShared>(wanted);
            if constexpr (kKeepsHash) kept_hash(*slot) = hash;
            publish<kShared>(slot->tag, tag);
            open = false;
          }
        } else if (u32(seen) != kBusy) {  // else another thread writes its keys now
          miss();
        }
      }
      if (!maybe) continue;
      // This multiprocessor may have cached the string's memory before another one wrote the string.
      if constexpr (Slot::kMakesTexts && !kShared) fence<kShared>();
      if (same_texts<kShared>(wanted, *slot)) {
        open = false;
      } else {
        miss();
      }
    } while (any(open));
    return slot;
  }
};

#if defined(__CUDACC__)

/// Writes a bitmap of the used slots of a table, whose size is a multiple of 32.
template <class Slot, u32 kStride>
LANES_FN void mark_slots(const u8* slots, u64 count, u32* bitmap) {
  for (u64 first = warp() * 32; first < count; first += warps() * 32) {
    const bool used = reinterpret_cast<const Slot*>(slots + (first + lane()) * kStride)->tag != 0;
    const u32 word = __ballot_sync(~0u, used);
    if (lane() == 0) bitmap[first / 32] = word;
  }
}

/// The most sampled groups that a far table may have: at most half of its slots are used, so that searches
/// stay short. Unlimited if searches may read all slots.
LANES_FN u32 most_sampled_of(u64 slots, u64 probes) {
  return probes == slots ? ~0u : u32(slots / kSampled / 2);
}
/// Reserves a far-table slot for a group with this hash.
LANES_FN bool claim_far(GroupOutcome& outcome, u64 mixed, u32 most_sampled) {
  if ((mixed >> 26) % kSampled == 0 && atomicAdd(&outcome.sampled, 1) >= most_sampled) outcome.full = 1;
  return true;
}

/// A thread's view of both tables. The near one has kNear slots, kNearStride bytes apart.
template <class Slot, u32 kNear, u32 kNearStride, u32 kFarStride>
class Groups {
 public:
  /// Every thread of the block must call it, and finish().
  LANES_FN Groups(u8* slots, u64 count, u64 probes, GroupOutcome* outcome)
      : far_{slots, count - 1, kFarStride, u32(probes)},
        outcome_(outcome),
        most_sampled_(most_sampled_of(count, probes)) {
    extern __shared__ u64 near_memory[];
    used_ = reinterpret_cast<u32*>(near_memory);
    near_ = {reinterpret_cast<u8*>(near_memory + 1), kNear - 1, kNearStride, kNearProbes};
    for (u32 i = threadIdx.x; i <= kNear * kNearStride / 8; i += blockDim.x) near_memory[i] = 0;
    __syncthreads();
  }

  /// Every lane of a warp must call it before the warp takes `rows` rows. False: the table is full; stop.
  LANES_FN bool goes_on(u32 rows) {
    const u32 missed = __reduce_add_sync(~0u, missed_);
    if (pause_) {
      pause_--;
    } else if (missed > rows / 4) {
      pause_ = kPause;
    }
    missed_ = 0;
    copy_ = came_ && read<true>(*used_) <= kFewUsed ? lane() % kCopies : 0;
    return missed == 0 || !__shfl_sync(~0u, read<false>(outcome_->full), 0);
  }

  /// Adds a row, given as a slot. All of the warp's `lanes` must call it.
  LANES_FN void add(u32 lanes, const Slot& row) {
    came_++;
    const u64 hash = hash_of(row);
    Slot* const near = pause_ ? nullptr : find_near(lanes, row, hash);
    const u32 others = __ballot_sync(lanes, !near);  // also makes the lanes reconverge
    if (near) return near->template merge<true>(row);
    missed_++;
    const Slot copy = row;  // in memory, so that the row itself stays in registers
    add_far(far_, outcome_, most_sampled_, others, copy, hash);
  }

  /// Replaces goes_on() for rows sorted by parts. Every thread of the block must call it before the block
  /// takes kGroupThreads * kRecordWords rows. Empties the near table if these may not fit.
  LANES_FN bool next_piece() {
    // The first thread's value may be a little old, but all threads use the same one.
    const u32 used = threadIdx.x == 0 ? read<true>(*used_) : 0;
    const bool crowded = used + 2 * (used - used_before_) > kNear / 2;
    used_before_ = crowded ? 0 : used;
    if (!__syncthreads_or(crowded)) return true;
    empty<true>();
    if (threadIdx.x == 0) *used_ = 0;
    return !__syncthreads_or(read<false>(outcome_->full));
  }

  LANES_FN void finish() {
    for (u32 distance = 16; distance; distance /= 2) came_ += __shfl_xor_sync(~0u, came_, distance);
    if (lane() == 0 && came_) add_word<false>(outcome_->came, came_);
    __syncthreads();
    empty<false>();
  }

 private:
  /// Merges the near table into the far one. With `kClears` it can be filled again.
  template <bool kClears>
  LANES_FN void empty() {
    for (u32 i = threadIdx.x; i < kNear; i += blockDim.x) {  // a multiple of a warp's lanes
      const bool used = near_.at(i).tag != near_.kEmpty && !read<false>(outcome_->full);
      const u32 lanes = __ballot_sync(~0u, used);
      if (!used) continue;
      Slot& slot = near_.at(i);
      u64 hash;
      if constexpr (kKeepsHash) {
        hash = near_.kept_hash(slot);
      } else {
        hash = hash_of(slot);
      }
      add_far(far_, outcome_, most_sampled_, lanes, slot, hash);
      if constexpr (kClears) {
        for (u32 word = 0; word < kNearStride / 8; word++) reinterpret_cast<u64*>(&slot)[word] = 0;
      }
    }
  }

  /// Hashes are stored if there is room between slots; this saves a second copy of the code for strings.
  static constexpr bool kKeepsHash = kNearStride >= sizeof(Slot) + sizeof(u64);
  static constexpr u32 kNearShift = 64 - log2_of(kNear);  // the high bits, see mix()
  static constexpr u32 kMostUsed = most_used_of(kNear), kFewUsed = few_used_of(kNear);
  /// Steps for which a warp skips the near table after one in which many rows did not fit.
  static constexpr u32 kPause = 64;

  LANES_FN Slot* find_near(u32 lanes, const Slot& wanted, u64 hash) const {
    return near_.find(lanes, wanted, copy_, hash, (hash >> kNearShift) + copy_, [&] {
      if (read<true>(*used_) >= kMostUsed) return false;
      atomicAdd(used_, 1);
      return true;
    });
  }
  /// Not inlined: a copy at each call would take as long to compile as all the rest.
  static __device__ __noinline__ void add_far(SlotTable<Slot, false> far, GroupOutcome* outcome,
                                              u32 most_sampled, u32 lanes, const Slot& row, u64 hash) {
    const u64 mixed = last_mix(hash);
    Slot* const slot =
        far.find(lanes, row, 0, mixed, mixed, [&] { return claim_far(*outcome, mixed, most_sampled); });
    if (slot) {
      slot->template merge<false>(row);
    } else {
      outcome->full = 1;
    }
  }

  SlotTable<Slot, false> far_;
  GroupOutcome* outcome_;
  u32 most_sampled_;
  u32* used_;  // used slots of the near table; slightly too high if threads compete for a slot
  SlotTable<Slot, true, kKeepsHash> near_;
  u32 came_ = 0;
  u32 missed_ = 0, pause_ = 0;
  u32 copy_ = 0;         // number of the copies that this lane uses
  u32 used_before_ = 0;  // used slots when the previous piece began, as read by the first thread
};

#endif

}  // namespace lanewise::kernel
