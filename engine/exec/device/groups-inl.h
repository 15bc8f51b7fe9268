#pragma once

#include "exec/device/keys-inl.h"
#include "exec/device/rows-inl.h"

/// Groups in hash tables: one in device memory, and before it a small one in each block's shared memory,
/// whose groups go to the first one at the end. A generated Slot begins with `tag` and `nulls` and has keys
/// and cells:
///
///   u64 hash() const;                               of the keys
///   bool same<kShared>(const Slot& held) const;     whether the keys are those of a slot of a table
///   void take_key(const Slot&);
///   void merge<kShared>(const Slot&);               takes its cells in
namespace lanewise::kernel {

inline constexpr u32 kGroupThreads = 512;  // of a block

/// What happened to a batch of rows.
struct GroupOutcome {
  u64 came;      ///< rows
  u32 full;      ///< the table has no room for a group: its content is worthless
  u32 overflow;  ///< a sum does not fit its type
};

/// `slots[i * stride]`, a power of two of them, open addressing with linear probing.
template <class Slot, bool kShared>
struct SlotTable {
  static constexpr u32 kEmpty = 0, kBusy = 1;

  u8* slots;
  u64 mask;
  u32 stride;
  u32 probes;  ///< slots that are looked at for a key

  LANES_FN Slot& at(u64 i) const { return *reinterpret_cast<Slot*>(slots + (i & mask) * stride); }
  static LANES_FN u32 tag_of(u64 hash) { return u32(hash >> 32) | 2; }

  /// The slot of wanted's keys; made where there is none and `claim()` allows it. Null: it is not there.
  template <class Claim>
  LANES_FN Slot* find(const Slot& wanted, u64 hash, Claim claim) const {
    const u32 tag = tag_of(hash);
    for (u32 i = 0; i < probes;) {
      Slot& slot = at(hash + i);
      u32 seen = read<kShared>(slot.tag);
      if (seen == kEmpty) {
        if (!claim()) return nullptr;
        seen = exchange_if(slot.tag, kEmpty, kBusy);
        if (seen == kEmpty) {
          slot.take_key(wanted);
          publish<kShared>(slot.tag, tag);
          return &slot;
        }
      }
      if (seen == kBusy) continue;  // another thread writes its keys now
      if (seen == tag && wanted.template same<kShared>(slot)) return &slot;
      i++;
    }
    return nullptr;
  }
};

#if defined(__CUDACC__)

/// bitmap = the slots that are used, of a table of a multiple of 32.
template <class Slot, u32 kStride>
LANES_FN void mark_slots(const u8* slots, u64 count, u32* bitmap) {
  for (u64 first = warp() * 32; first < count; first += warps() * 32) {
    const bool used = reinterpret_cast<const Slot*>(slots + (first + lane()) * kStride)->tag != 0;
    const u32 word = __ballot_sync(~0u, used);
    if (lane() == 0) bitmap[first / 32] = word;
  }
}

/// The two tables as a thread uses them. kNear slots lie in shared memory, kNearStride bytes apart.
template <class Slot, u32 kNear, u32 kNearStride, u32 kFarStride>
class Groups {
 public:
  /// Every thread of the block calls it, and finish().
  LANES_FN Groups(u8* slots, u64 count, u64 probes, GroupOutcome* outcome)
      : far_{slots, count - 1, kFarStride, u32(probes)}, outcome_(outcome) {
    extern __shared__ u64 near_memory[];
    used_ = reinterpret_cast<u32*>(near_memory);
    near_ = {reinterpret_cast<u8*>(near_memory + 1), kNear - 1, kNearStride, kNearProbes};
    for (u32 i = threadIdx.x; i <= kNear * kNearStride / 8; i += blockDim.x) near_memory[i] = 0;
    __syncthreads();
  }

  /// Every lane of a warp calls it before the warp takes `rows`. False: the batch is lost, take no more.
  LANES_FN bool goes_on(u32 rows) {
    if (pause_) {
      pause_--;
    } else if (__reduce_add_sync(~0u, missed_) > rows / 4) {
      pause_ = kPause;
    }
    missed_ = 0;
    return !__shfl_sync(~0u, read<false>(outcome_->full), 0);
  }

  /// Calls put<kShared>(slot) for the slot of wanted's keys.
  template <class Put>
  LANES_FN void add(const Slot& wanted, Put put) {
    came_++;
    const u64 hash = wanted.hash();
    if (!pause_) {
      if (Slot* const slot = find_near(wanted, hash)) return put.template operator()<true>(*slot);
      missed_++;
    }
    if (Slot* const slot = find_far(wanted, hash)) put.template operator()<false>(*slot);
  }

  LANES_FN void finish() {
    for (u32 distance = 16; distance; distance /= 2) came_ += __shfl_xor_sync(~0u, came_, distance);
    if (lane() == 0 && came_) add_word<false>(outcome_->came, came_);
    __syncthreads();
    for (u32 i = threadIdx.x; i < kNear; i += blockDim.x) {
      const Slot& slot = near_.at(i);
      if (slot.tag == near_.kEmpty || read<false>(outcome_->full)) continue;
      if (Slot* const found = find_far(slot, slot.hash())) found->template merge<false>(slot);
    }
  }

 private:
  static constexpr u32 kNearProbes = 16;
  static constexpr u32 kMostUsed = kNear - kNear / 4;
  /// Steps of a warp that do not look where many rows of the one before found no room.
  static constexpr u32 kPause = 64;

  LANES_FN Slot* find_near(const Slot& wanted, u64 hash) const {
    return near_.find(wanted, hash, [&] {
      if (read<true>(*used_) >= kMostUsed) return false;
      atomicAdd(used_, 1);
      return true;
    });
  }
  LANES_FN Slot* find_far(const Slot& wanted, u64 hash) const {
    Slot* const slot = far_.find(wanted, hash, [] { return true; });
    if (!slot) outcome_->full = 1;
    return slot;
  }

  SlotTable<Slot, false> far_;
  GroupOutcome* outcome_;
  u32* used_;  // slots of the near table; a little more where threads want the same one
  SlotTable<Slot, true> near_;
  u64 came_ = 0;
  u32 missed_ = 0, pause_ = 0;
};

#endif

}  // namespace lanewise::kernel
