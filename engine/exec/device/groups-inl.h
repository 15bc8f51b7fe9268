#pragma once

#include "exec/device/keys-inl.h"
#include "exec/device/rows-inl.h"

/// Groups in hash tables: one in device memory, and before it a small one in each block's shared memory,
/// whose groups go to the first one at the end. A generated Slot begins with `tag` and `nulls` and has keys
/// and cells:
///
///   u64 hash() const;                               of the keys, by mix()
///   bool same<kShared>(u64 first, const Slot& held) const;  whether the keys are those of a table's slot,
///                                                           whose first key has the first word `first`
///   void take_key(const Slot&);
///   void merge<kShared>(const Slot&);               takes its cells in
namespace lanewise::kernel {

inline constexpr u32 kGroupThreads = 512;  // of a block

/// What happened to a batch of rows.
struct GroupOutcome {
  u64 came;      ///< rows
  u32 full;      ///< the table has too little room: its content is worthless
  u32 overflow;  ///< a sum does not fit its type
  u32 sampled;   ///< of the groups, about one in kSampled
  u32 unused;
};

inline constexpr u32 kSampled = 64;

/// Of a power of two.
constexpr u32 log2_of(u32 power) { return power == 1 ? 0 : 1 + log2_of(power / 2); }

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

  /// The slot of wanted's keys, looked for from slot `start` on; made where there is none and `claim()`
  /// allows it. Null: it is not there.
  template <class Claim>
  LANES_FN Slot* find(const Slot& wanted, u64 hash, u64 start, Claim claim) const {
    const u32 tag = tag_of(hash);
    for (u32 i = 0; i < probes;) {
      Slot& slot = at(start + i);
      u64 head, first;
      read_pair<kShared>(&slot, head, first);
      const u32 seen = u32(head);
      if (seen == kEmpty) {
        if (!claim()) return nullptr;
        if (exchange_if(slot.tag, kEmpty, kBusy) != kEmpty) continue;  // another thread was faster
        slot.take_key(wanted);
        publish<kShared>(slot.tag, tag);
        return &slot;
      }
      if (seen == kBusy) continue;  // another thread writes its keys now
      if (head == (u64(wanted.nulls) << 32 | tag) && wanted.template same<kShared>(first, slot)) return &slot;
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
  /// Where `probes` is all slots, all may be used.
  LANES_FN Groups(u8* slots, u64 count, u64 probes, GroupOutcome* outcome)
      : far_{slots, count - 1, kFarStride, u32(probes)},
        outcome_(outcome),
        most_sampled_(probes == count ? ~0u : u32(count / kSampled / 2)) {
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
    const u32 together = __activemask();
    Slot* const near = pause_ ? nullptr : find_near(wanted, hash);
    __syncwarp(together);  // else lanes that found theirs sooner would put it apart from the others
    if (near) return put.template operator()<true>(*near);
    missed_++;
    if (Slot* const far = find_far(wanted, hash)) put.template operator()<false>(*far);
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
  static constexpr u32 kNearShift = 64 - log2_of(kNear);  // the high bits, see mix()
  static constexpr u32 kMostUsed = kNear - kNear / 4;
  /// Steps of a warp that do not look where many rows of the one before found no room.
  static constexpr u32 kPause = 64;

  LANES_FN Slot* find_near(const Slot& wanted, u64 hash) const {
    return near_.find(wanted, hash, hash >> kNearShift, [&] {
      if (read<true>(*used_) >= kMostUsed) return false;
      atomicAdd(used_, 1);
      return true;
    });
  }
  /// Half of the slots at most are used, so that searches stay short.
  LANES_FN Slot* find_far(const Slot& wanted, u64 hash) const {
    const u64 mixed = last_mix(hash);
    Slot* const slot = far_.find(wanted, mixed, mixed, [&] {
      if ((mixed >> 26) % kSampled == 0 && atomicAdd(&outcome_->sampled, 1) >= most_sampled_)
        outcome_->full = 1;
      return true;
    });
    if (!slot) outcome_->full = 1;
    return slot;
  }

  SlotTable<Slot, false> far_;
  GroupOutcome* outcome_;
  u32 most_sampled_;
  u32* used_;  // slots of the near table; a little more where threads want the same one
  SlotTable<Slot, true> near_;
  u64 came_ = 0;
  u32 missed_ = 0, pause_ = 0;
};

#endif

}  // namespace lanewise::kernel
