#pragma once

#include "ops/join/gpu/join-inl.h"

/// Puts rows into the order of the parts of a lookup: neighbours then look into the same part, which a cache
/// holds.
namespace lanewise::kernel {

inline constexpr u32 kLookupParts = 64, kNoPart = ~u32(0);
inline constexpr u32 kSplitThreads = 512;  // of a block
/// A hash table has so many slices, of which a block's shared memory holds one: each part as many as there
/// are parts.
inline constexpr u32 kSlices = kLookupParts * kLookupParts;

/// The part where the search for the keys begins; a part has 2^shift slots, or numbers. Numbers that no part
/// has are left out, or go to the last one.
template <class Keys>
LANES_FN u32 part_of(const Lookup& lookup, const Keys& keys, u64 shift, bool leaves_out) {
  if constexpr (Keys::kNumber) {
    if (lookup.kind != LookupKind::kHash) {
      const u64 place = keys.number() - lookup.base;
      if (leaves_out && place >= lookup.size) return kNoPart;
      return u32((place < lookup.size ? place : lookup.size - 1) >> shift);
    }
  }
  return u32((home_of(last_mix(keys.hash())) & (lookup.size - 1)) >> shift);
}

#if defined(__CUDACC__)

/// Rows, and the blocks that share them.
struct SplitRange {
  u64 first, end;
  u32 part, block, blocks;

  /// All rows; or those of a part, where `ends` says where the rows of each part end, which is split again.
  LANES_FN SplitRange(u64 rows, const u32* ends)
      : first(0), end(rows), part(0), block(blockIdx.x), blocks(gridDim.x) {
    if (!ends) return;
    part = blockIdx.x % kLookupParts;
    first = part ? ends[part - 1] : 0;
    end = ends[part];
    block = blockIdx.x / kLookupParts;
    blocks = gridDim.x / kLookupParts;
  }
};

/// Adds to `counts` how many rows each part has. `part_of(row)` gives kNoPart for those that are left out.
template <class PartOf>
LANES_FN void count_by_part(const SplitRange& rows, u32* counts, PartOf part_of) {
  constexpr u32 kAtOnce = 4;
  const u64 step = u64(rows.blocks) * blockDim.x;
  counts += rows.part * kLookupParts;
  __shared__ u32 count[kLookupParts];
  if (threadIdx.x < kLookupParts) count[threadIdx.x] = 0;
  __syncthreads();
  for (u64 first = rows.first + u64(rows.block) * blockDim.x + threadIdx.x; first < rows.end;
       first += step * kAtOnce) {
    u32 parts[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++)
      parts[j] = first + j * step < rows.end ? part_of(first + j * step) : kNoPart;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++)
      if (parts[j] != kNoPart) atomicAdd(&count[parts[j]], 1);
  }
  __syncthreads();
  if (threadIdx.x < kLookupParts && count[threadIdx.x]) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

/// One warp's sums of all parts before each; returns the sum of all.
LANES_FN u32 start_parts(const u32* counts, u32* starts, u32 parts = kLookupParts) {
  u32 sum = 0;
  for (u32 first = 0; first < parts; first += 32) {
    const u32 count = counts[first + lane()];
    u32 up_to = count;
    for (u32 distance = 1; distance < 32; distance *= 2) {
      const u32 before = __shfl_up_sync(~0u, up_to, distance);
      if (lane() >= distance) up_to += before;
    }
    starts[first + lane()] = sum + up_to - count;
    sum += __shfl_sync(~0u, up_to, 31);
  }
  return sum;
}

/// One block's sums of all counts before each, and that of all after them.
LANES_FN void start_all(u32* counts, u32 parts) {
  __shared__ u32 near[kSlices];  // many small steps, each of which waits for memory
  for (u32 i = threadIdx.x; i < parts; i += blockDim.x) near[i] = counts[i];
  __syncthreads();
  if (threadIdx.x < 32) {
    const u32 all = start_parts(near, near, parts);
    if (lane() == 0) counts[parts] = all;
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < parts; i += blockDim.x) counts[i] = near[i];
}

inline constexpr u32 kSplitWords = 8,
                     kSplitTile = kSplitThreads * kSplitWords;  // rows of a thread, and of a block

/// Moves a column's values of a tile's rows. `places[j]` is where the thread's j-th row is in the order of
/// parts, and `starts[part] + i` where the i-th of that order goes. `staged` are kSplitTile words of the
/// block's.
template <class T>
LANES_FN void move_tile(const MovedColumns::Column& column, u64 first, const u32 (&places)[kSplitWords],
                        u32 count, const u8* parts, const u32* starts, u32* staged) {
  constexpr u32 kPiece = sizeof(T) < 4 ? kSplitTile : kSplitTile * 4 / sizeof(T);
  const T* const from = reinterpret_cast<const T*>(column.from) + first;
  T* const to = reinterpret_cast<T*>(column.to);
  T* const piece = reinterpret_cast<T*>(staged);
  for (u32 begin = 0; begin < count; begin += kPiece) {
#pragma unroll
    for (u32 j = 0; j < kSplitWords; j++)
      if (places[j] - begin < kPiece) piece[places[j] - begin] = from[j * kSplitThreads + threadIdx.x];
    __syncthreads();
    const u32 end = count - begin < kPiece ? count : begin + kPiece;
    for (u32 i = begin + threadIdx.x; i < end; i += kSplitThreads)
      to[starts[parts[i]] + i] = piece[i - begin];
    __syncthreads();
  }
}

/// Moves the rows that have a part, which begins at the place next[part], to the next places of it.
template <class PartOf>
LANES_FN void split_by_part(const SplitRange& rows, u32* next, const MovedColumns& to, PartOf part_of) {
  __shared__ u32 counts[kLookupParts], starts[kLookupParts], moved;
  __shared__ alignas(16) u32 staged[kSplitTile];
  __shared__ u8 parts[kSplitTile];
  next += rows.part * kLookupParts;
  for (u64 first = rows.first + u64(rows.block) * kSplitTile; first < rows.end;
       first += u64(rows.blocks) * kSplitTile) {
    if (threadIdx.x < kLookupParts) counts[threadIdx.x] = 0;
    __syncthreads();
    u32 part[kSplitWords], places[kSplitWords];
#pragma unroll
    for (u32 j = 0; j < kSplitWords; j++) {
      const u64 row = first + j * kSplitThreads + threadIdx.x;
      part[j] = row < rows.end ? part_of(row) : kNoPart;
    }
#pragma unroll
    for (u32 j = 0; j < kSplitWords; j++)
      places[j] = part[j] == kNoPart ? kNoPart : atomicAdd(&counts[part[j]], 1);
    __syncthreads();
    if (threadIdx.x < 32) {
      const u32 all = start_parts(counts, starts);
      if (threadIdx.x == 0) moved = all;
    }
    __syncthreads();
#pragma unroll
    for (u32 j = 0; j < kSplitWords; j++) {
      if (part[j] == kNoPart) continue;
      places[j] += starts[part[j]];
      parts[places[j]] = part[j];
    }
    __syncthreads();
    if (threadIdx.x < kLookupParts && counts[threadIdx.x])
      starts[threadIdx.x] = atomicAdd(&next[threadIdx.x], counts[threadIdx.x]) - starts[threadIdx.x];
    __syncthreads();
    for (u32 i = 0; i < to.count; i++) {
      const MovedColumns::Column& column = to.columns[i];
      if (column.bytes == 1) move_tile<u8>(column, first, places, moved, parts, starts, staged);
      if (column.bytes == 2) move_tile<unsigned short>(column, first, places, moved, parts, starts, staged);
      if (column.bytes == 4) move_tile<u32>(column, first, places, moved, parts, starts, staged);
      if (column.bytes == 8) move_tile<u64>(column, first, places, moved, parts, starts, staged);
      if (column.bytes == 16) move_tile<ulonglong2>(column, first, places, moved, parts, starts, staged);
    }
    __syncthreads();
  }
}

#endif

}  // namespace lanewise::kernel
