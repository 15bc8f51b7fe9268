#pragma once

#include "exec/device/compact-inl.h"

/// Joins whose keys repeat: rows of a build side by runs of equal keys, and from rows and the runs that they
/// found to pairs. Kernels that are the same for every query. The first row of a key that came into the table
/// stands for its run.
namespace lanewise::kernel {

inline constexpr u32 kTileRows = 1024;  // for a block

#if defined(__CUDACC__)

/// sums[tile] = the sum of the tile's values.
extern "C" __global__ void __launch_bounds__(kThreads) sum_tiles(const u32* values, u64 count, u64* sums) {
  u64 sum = 0, total;
  for (u32 i = threadIdx.x; i < kTileRows; i += kThreads) {
    const u64 at = blockIdx.x * u64(kTileRows) + i;
    if (at < count) sum += values[at];
  }
  scan_block(sum, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// starts[i] = the sum of the values before i; `sums` is what scan_tiles() made of sum_tiles().
extern "C" __global__ void __launch_bounds__(kThreads)
    start_runs(const u32* values, u64 count, const u64* sums, u32* starts) {
  constexpr u32 kEach = kTileRows / kThreads;
  const u64 first = blockIdx.x * u64(kTileRows) + threadIdx.x * kEach;
  u64 sum = 0, total;
  for (u32 i = 0; i < kEach; i++) sum += first + i < count ? values[first + i] : 0;
  u64 at = sums[blockIdx.x] + scan_block(sum, total);
  for (u32 i = 0; i < kEach && first + i < count; i++) {
    starts[first + i] = u32(at);
    at += values[first + i];
  }
}

/// Puts each row into the run of the row that stands for it; `starts` become the ends of runs.
extern "C" __global__ void __launch_bounds__(kThreads)
    order_rows(const u32* standing, u64 rows, u32* starts, u32* order) {
  for (u64 row = thread(); row < rows; row += threads()) {
    if (standing[row] != kNoRow) order[atomicAdd(&starts[standing[row]], 1)] = u32(row);
  }
}

/// Pairs of a row that found this: at least one where the join keeps rows without a match.
LANES_FN u32 pairs_of(u32 found, const u32* counts, u32 least) {
  return found == kNoRow ? least : counts[found];
}

/// sums[tile] = pairs of the tile of the list's rows.
extern "C" __global__ void __launch_bounds__(kThreads)
    count_pairs(const u32* list, u64 count, const u32* found, const u32* counts, u32 least, u64* sums) {
  u64 sum = 0, total;
  for (u32 i = threadIdx.x; i < kTileRows; i += kThreads) {
    const u64 at = blockIdx.x * u64(kTileRows) + i;
    if (at < count) sum += pairs_of(found[list[at]], counts, least);
  }
  scan_block(sum, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// Writes the pairs of a tile, side by side: all threads of the block share them, whatever rows they are of.
extern "C" __global__ void __launch_bounds__(kThreads)
    write_pairs(const u32* list, u64 count, const u32* found, const u32* counts, const u32* ends,
                const u32* order, u32 least, const u64* sums, u32* left, u32* right) {
  constexpr u32 kEach = kTileRows / kThreads;
  __shared__ u64 starts[kTileRows];
  const u64 tile = blockIdx.x * u64(kTileRows), first = tile + threadIdx.x * kEach;
  u64 sum = 0, total;
  for (u32 i = 0; i < kEach; i++)
    sum += first + i < count ? pairs_of(found[list[first + i]], counts, least) : 0;
  u64 at = scan_block(sum, total);
  for (u32 i = 0; i < kEach; i++) {
    starts[threadIdx.x * kEach + i] = at;
    at += first + i < count ? pairs_of(found[list[first + i]], counts, least) : 0;
  }
  __syncthreads();
  const u64 before = sums[blockIdx.x];
  for (u64 pair = threadIdx.x; pair < total; pair += kThreads) {
    u32 place = 0;  // the last row whose pairs begin at `pair` or before it
    for (u32 step = kTileRows / 2; step > 0; step /= 2) {
      if (starts[place + step] <= pair) place += step;
    }
    const u32 row = list[tile + place], match = found[row];
    left[before + pair] = row;
    right[before + pair] =
        match == kNoRow ? kNoRow : order[ends[match] - counts[match] + u32(pair - starts[place])];
  }
}

/// to[i] = from[places[i]].
extern "C" __global__ void __launch_bounds__(kThreads)
    take_rows(const u32* from, const u32* places, u64 count, u32* to) {
  for (u64 i = thread(); i < count; i += threads()) to[i] = from[places[i]];
}

#endif

}  // namespace lanewise::kernel
