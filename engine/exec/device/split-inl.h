#pragma once

#include "exec/device/join-inl.h"

/// Puts rows into the order of the parts of a lookup: neighbours then look into the same part, which a cache
/// holds.
namespace lanewise::kernel {

inline constexpr u32 kLookupParts = 64, kNoPart = ~u32(0);

/// Columns that go where their rows go: addresses, and bytes of a value, 1, 2, 4, 8 or 16.
struct SplitColumns {
  static constexpr u32 kMost = 16;
  struct Column {
    u64 from, to;
    u32 bytes;
  };
  u32 count;
  Column columns[kMost];
};

/// The part where the search for the keys begins; a part has 2^shift slots, or numbers.
template <class Keys>
LANES_FN u32 part_of(const Lookup& lookup, const Keys& keys, u64 shift) {
  if constexpr (Keys::kNumber) {
    if (lookup.kind != LookupKind::kHash) {
      const u64 place = keys.number() - lookup.base;
      return u32((place < lookup.size ? place : lookup.size - 1) >> shift);
    }
  }
  return u32((home_of(last_mix(keys.hash())) & (lookup.size - 1)) >> shift);
}

#if defined(__CUDACC__)

/// Adds to `counts` how many rows each part has. `part_of(row)` gives kNoPart for those that are left out.
template <class PartOf>
LANES_FN void count_by_part(u64 rows, u32* counts, PartOf part_of) {
  constexpr u32 kAtOnce = 4;
  __shared__ u32 count[kLookupParts];
  if (threadIdx.x < kLookupParts) count[threadIdx.x] = 0;
  __syncthreads();
  for (u64 first = thread(); first < rows; first += threads() * kAtOnce) {
    u32 parts[kAtOnce];
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++) parts[j] = first + j * threads() < rows ? part_of(first + j * threads()) : kNoPart;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; j++)
      if (parts[j] != kNoPart) atomicAdd(&count[parts[j]], 1);
  }
  __syncthreads();
  if (threadIdx.x < kLookupParts && count[threadIdx.x]) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

/// One warp's sums of all parts before each; returns the sum of all.
LANES_FN u32 start_parts(const u32* counts, u32* starts) {
  u32 sum = 0;
  for (u32 first = 0; first < kLookupParts; first += 32) {
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

/// Moves values of a tile's rows, which lie in the order of parts: `starts[part] + i` is where the i-th goes.
template <class T>
LANES_FN void move_tile(const SplitColumns::Column& column, u64 first, u32 count, const unsigned short* order,
                        const u8* parts, const u32* starts) {
  const T* const from = reinterpret_cast<const T*>(column.from) + first;
  T* const to = reinterpret_cast<T*>(column.to);
  for (u32 i = threadIdx.x; i < count; i += kThreads) to[starts[parts[i]] + i] = from[order[i]];
}

/// Moves the rows that have a part, which begins at the place next[part], to the next places of it.
template <class PartOf>
LANES_FN void split_by_part(u64 rows, u32* next, const SplitColumns& to, PartOf part_of) {
  constexpr u32 kWords = 16, kTile = kThreads * kWords;
  __shared__ u32 counts[kLookupParts], starts[kLookupParts], moved;
  __shared__ unsigned short order[kTile];
  __shared__ u8 parts[kTile];
  for (u64 first = u64(blockIdx.x) * kTile; first < rows; first += u64(gridDim.x) * kTile) {
    if (threadIdx.x < kLookupParts) counts[threadIdx.x] = 0;
    __syncthreads();
    u32 part[kWords], rank[kWords];
#pragma unroll
    for (u32 j = 0; j < kWords; j++) {
      const u64 row = first + j * kThreads + threadIdx.x;
      part[j] = row < rows ? part_of(row) : kNoPart;
    }
#pragma unroll
    for (u32 j = 0; j < kWords; j++)
      if (part[j] != kNoPart) rank[j] = atomicAdd(&counts[part[j]], 1);
    __syncthreads();
    if (threadIdx.x < 32) {
      const u32 all = start_parts(counts, starts);
      if (threadIdx.x == 0) moved = all;
    }
    __syncthreads();
#pragma unroll
    for (u32 j = 0; j < kWords; j++) {
      if (part[j] == kNoPart) continue;
      const u32 i = starts[part[j]] + rank[j];
      order[i] = j * kThreads + threadIdx.x;
      parts[i] = part[j];
    }
    __syncthreads();
    if (threadIdx.x < kLookupParts && counts[threadIdx.x])
      starts[threadIdx.x] = atomicAdd(&next[threadIdx.x], counts[threadIdx.x]) - starts[threadIdx.x];
    __syncthreads();
    for (u32 i = 0; i < to.count; i++) {
      const SplitColumns::Column& column = to.columns[i];
      if (column.bytes == 1) move_tile<u8>(column, first, moved, order, parts, starts);
      if (column.bytes == 2) move_tile<unsigned short>(column, first, moved, order, parts, starts);
      if (column.bytes == 4) move_tile<u32>(column, first, moved, order, parts, starts);
      if (column.bytes == 8) move_tile<u64>(column, first, moved, order, parts, starts);
      if (column.bytes == 16) move_tile<ulonglong2>(column, first, moved, order, parts, starts);
    }
    __syncthreads();
  }
}

#endif

}  // namespace lanewise::kernel
