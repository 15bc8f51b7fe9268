#pragma once

#include "ops/aggregate/gpu/groups/groups-inl.h"
#include "ops/aggregate/gpu/guarded_cell-inl.h"
#include "ops/aggregate/gpu/picks-inl.h"

/// Groups of any query, with a description of its Slots instead of generated code. A short kernel of the
/// query makes a Slot of each row, and a precompiled one puts them into the tables of groups-inl.h. This is
/// slower than the query's own kernel, but available at once.
namespace lanewise::kernel {

/// The types of cells, as far as merge() differs between them.
enum class CellKind : u8 {
  kCount,
  kSum1,  ///< of one word
  kSum2,
  kSum3,
  kReal,
  kExtreme,
  kWideExtreme,
  kLeastText,
  kGreatestText,
  kOr1,  ///< of one word; also for bit_and
  kOr2,
  kXor1,
  kXor2,
  kExactSum,
  kProduct,
  kMoments,
  kRow
};
inline constexpr u32 kMostRowWords = 32;

struct CellShape {
  CellKind kind;
  u8 words;             ///< for kRow: number of words, as in RowCell
  u16 at;               ///< bytes from the slot's beginning
  u32 texts, greatest;  ///< for kRow, as in RowCell
};

/// The layout of a Slot: `tag` and `nulls`, then the keys' words, then cells.
struct SlotShape {
  static constexpr u32 kMostCells = 64;
  u32 bytes;
  u32 near_slots, near_shift, near_stride, far_stride;  ///< 64 - near_shift is the logarithm of near_slots
  u64 long_texts;                                       ///< bit i: a Key<Text> begins at the keys' word i
  u32 key_words;
  u32 cells;
  CellShape cell[kMostCells];
};

struct SlotsJob {
  u64 rows;                           ///< number of input Slots, one for each row
  u64 from;                           ///< their address
  u64 table, slots, probes, outcome;  ///< arguments of Groups (groups-inl.h)
  SlotShape shape;
};

#if defined(__CUDACC__)

LANES_FN const u64* keys_of(const u8* slot) { return reinterpret_cast<const u64*>(slot) + 1; }

/// As hash_of() of a Slot, but strings' bytes are hashed in another order.
LANES_FN u64 hash_of(const SlotShape& shape, const u8* slot) {
  const u64* const keys = keys_of(slot);
  u64 hash = reinterpret_cast<const u32*>(slot)[1];
  for (u32 i = 0; i < shape.key_words; i++) {
    if (shape.long_texts >> i & 1) {
      const Key<Text> text = {keys[i], keys[i + 1]};
      hash = text.hash_bytes(text.hash(hash));
      i++;
    } else {
      hash = mix(hash, keys[i]);
    }
  }
  return hash;
}

/// Whether the table's slot `held` has the keys of `wanted`.
template <bool kShared>
LANES_FN bool same_keys(const SlotShape& shape, const u8* wanted, const u8* held) {
  const u64 *const mine = keys_of(wanted), *const theirs = keys_of(held);
  for (u32 i = 0; i < shape.key_words; i++) {
    if (read<kShared>(theirs[i]) != mine[i]) return false;
    if (shape.long_texts >> i & 1) {
      const Key<Text> text = {mine[i], mine[i + 1]};
      const u64 rest = read<kShared>(theirs[i + 1]);
      if (rest != text.rest && !(text.is_long() && text.same_bytes(rest))) return false;
      i++;
    }
  }
  return true;
}

template <class Cell, bool kShared>
LANES_FN void merge_as(u8* to, const u8* from) {
  reinterpret_cast<Cell*>(to)->template merge<kShared>(*reinterpret_cast<const Cell*>(from));
}

template <bool kShared>
LANES_FN void merge_row(const CellShape& cell, u8* to, const u8* from) {
  u64* const words = reinterpret_cast<u64*>(to);
  const u64* const other = reinterpret_cast<const u64*>(from);
  u32& held = reinterpret_cast<u32&>(words[cell.words]);
  const u32 last = cell.words - 1;
  if (other[last] == 0 || other[0] < read<kShared>(words[0])) return;
  for (bool done = false; !done;) {
    if (!hold<kShared>(held)) continue;
    u64 mine[kMostRowWords];
    for (u32 i = 0; i <= last; i++) mine[i] = read<kShared>(words[i]);
    if (mine[last] == 0 || row_comes_before(other, mine, cell.words, cell.texts, cell.greatest)) {
      for (u32 i = 0; i <= last; i++) write<kShared>(words[i], other[i]);
    }
    publish<kShared>(held, 0);
    done = true;
  }
}

template <bool kShared>
LANES_FN void merge_cell(const CellShape& cell, u8* to, const u8* from) {
  switch (cell.kind) {
    case CellKind::kCount:
      return merge_as<CountCell, kShared>(to, from);
    case CellKind::kSum1:
      return merge_as<SumCell<i32>, kShared>(to, from);
    case CellKind::kSum2:
      return merge_as<SumCell<i64>, kShared>(to, from);
    case CellKind::kSum3:
      return merge_as<SumCell<i128>, kShared>(to, from);
    case CellKind::kReal:
      return merge_as<RealCell, kShared>(to, from);
    case CellKind::kExtreme:
      return merge_as<ExtremeCell<u64, true>, kShared>(to, from);
    case CellKind::kWideExtreme:
      return merge_as<ExtremeCell<u128, true>, kShared>(to, from);
    case CellKind::kLeastText:
      return merge_as<ExtremeCell<Text, false>, kShared>(to, from);
    case CellKind::kGreatestText:
      return merge_as<ExtremeCell<Text, true>, kShared>(to, from);
    case CellKind::kOr1:
      return merge_as<BitCell<u64, Fold::kOr>, kShared>(to, from);
    case CellKind::kOr2:
      return merge_as<BitCell<u128, Fold::kOr>, kShared>(to, from);
    case CellKind::kXor1:
      return merge_as<BitCell<u64, Fold::kXor>, kShared>(to, from);
    case CellKind::kXor2:
      return merge_as<BitCell<u128, Fold::kXor>, kShared>(to, from);
    case CellKind::kExactSum:
      return merge_as<GuardedCell<ExactRealSum>, kShared>(to, from);
    case CellKind::kProduct:
      return merge_as<GuardedCell<Product>, kShared>(to, from);
    case CellKind::kMoments:
      return merge_as<GuardedCell<Moments>, kShared>(to, from);
    case CellKind::kRow:
      return merge_row<kShared>(cell, to, from);
  }
}

/// As SlotTable, for any slots.
template <bool kShared>
struct AnyTable {
  const SlotShape& shape;
  u8* slots;
  u64 mask;
  u32 stride, probes;

  /// Finds the slot with the keys of `wanted`. Creates it if `claim()` allows; otherwise null.
  template <class Claim>
  LANES_FN u8* find(const u8* wanted, u32 tag, u64 start, Claim claim) const {
    constexpr u32 kEmpty = 0, kBusy = 1;
    const u32 nulls = reinterpret_cast<const u32*>(wanted)[1];
    for (u32 probed = 0; probed < probes;) {
      u8* const slot = slots + ((start + probed) & mask) * stride;
      u32* const head = reinterpret_cast<u32*>(slot);
      const u64 seen = read<kShared>(*reinterpret_cast<const u64*>(slot));
      if (u32(seen) == kEmpty) {
        if (!claim()) return nullptr;
        if (exchange_if(head[0], kEmpty, kBusy) != kEmpty) continue;
        write<kShared>(head[1], nulls);
        for (u32 i = 0; i < shape.key_words; i++)
          write<kShared>(reinterpret_cast<u64*>(slot)[i + 1], keys_of(wanted)[i]);
        publish<kShared>(head[0], tag);
        return slot;
      }
      if (u32(seen) == kBusy) continue;  // another thread writes its keys now
      if (seen == (u64(nulls) << 32 | tag) && same_keys<kShared>(shape, wanted, slot)) return slot;
      probed++;
    }
    return nullptr;
  }
  LANES_FN void merge(u8* to, const u8* from) const {
    for (u32 i = 0; i < shape.cells; i++) {
      const CellShape& cell = shape.cell[i];
      merge_cell<kShared>(cell, to + cell.at, from + cell.at);
    }
  }
};

/// Puts Slots from device memory into a table there, through a near table in the block's shared memory. As
/// Groups does, but without pauses.
LANES_FN void put_slots_of(const SlotsJob& job) {
  const SlotShape& shape = job.shape;
  extern __shared__ u64 near_memory[];
  u32& used = *reinterpret_cast<u32*>(near_memory);
  const AnyTable<true> near{shape, reinterpret_cast<u8*>(near_memory + 1), shape.near_slots - 1,
                            shape.near_stride, kNearProbes};
  const AnyTable<false> far{shape, reinterpret_cast<u8*>(job.table), job.slots - 1, shape.far_stride,
                            u32(job.probes)};
  GroupOutcome* const outcome = reinterpret_cast<GroupOutcome*>(job.outcome);
  const u32 most_used = most_used_of(shape.near_slots), few_used = few_used_of(shape.near_slots);
  const u32 most_sampled = most_sampled_of(job.slots, job.probes);
  const auto put_far = [&](const u8* slot, u64 hash) {
    const u64 mixed = last_mix(hash);
    u8* const found =
        far.find(slot, tag_of(hash, 0), mixed, [&] { return claim_far(*outcome, mixed, most_sampled); });
    if (found) {
      far.merge(found, slot);
    } else {
      outcome->full = 1;
    }
  };

  for (u32 i = threadIdx.x; i <= shape.near_slots * shape.near_stride / 8; i += blockDim.x)
    near_memory[i] = 0;
  __syncthreads();
  u32 came = 0;
  for (u64 i = thread(); i < job.rows; i += threads()) {
    const u8* const slot = reinterpret_cast<const u8*>(job.from) + i * shape.bytes;
    const u64 hash = hash_of(shape, slot);
    const u32 copy = came && read<true>(used) <= few_used ? lane() % kCopies : 0;
    came++;
    u8* const found = near.find(slot, tag_of(hash, copy), (hash >> shape.near_shift) + copy, [&] {
      if (read<true>(used) >= most_used) return false;
      atomicAdd(&used, 1);
      return true;
    });
    if (found) {
      near.merge(found, slot);
    } else {
      if (read<false>(outcome->full)) break;
      put_far(slot, hash);
    }
  }
  LANEWISE_ROLLED
  for (u32 distance = 16; distance; distance /= 2) came += __shfl_xor_sync(~0u, came, distance);
  if (lane() == 0 && came) add_word<false>(outcome->came, came);
  __syncthreads();
  for (u32 i = threadIdx.x; i < shape.near_slots; i += blockDim.x) {
    const u8* const slot = near.slots + i * shape.near_stride;
    if (*reinterpret_cast<const u32*>(slot) != 0 && !read<false>(outcome->full))
      put_far(slot, hash_of(shape, slot));
  }
}

#endif

}  // namespace lanewise::kernel
