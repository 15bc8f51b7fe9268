#pragma once

#include "codegen/compact-inl.h"
#include "ops/join/gpu/expand-inl.h"

/// Joins whose keys repeat: rows of a build side by runs of equal keys, and from rows and the runs that they
/// found to pairs. Kernels that are the same for every query. The first row of a key that came into the table
/// stands for its run.
namespace lanewise::kernel {

inline constexpr u32 kTileRows = 1024;  // for a block

/// The runs of a build side; scan_tiles() writes `rows` and `runs` as one word.
struct RunsSeen {
  u32 rows;  ///< of all runs
  u32 runs;
  u32 longest;
};

#if defined(__CUDACC__)

/// Runs in the order of the rows that stand for them, or of the numbers of a lookup that has those rows.
struct RunPlaces {
  const u32* standing;  ///< the row of a number, or kNoRow; null: places are rows
  u64 count;
  const u32* counts;  ///< by the row that stands for a run: rows of the run

  LANES_FN u32 row(u64 place) const { return standing ? standing[place] : u32(place); }
  LANES_FN u32 rows(u64 place) const {
    const u32 row = place < count ? this->row(place) : kNoRow;
    return row == kNoRow ? 0 : counts[row];
  }
};

/// What a run of so many rows adds to a sum: those rows, and above 32 bits the run.
LANES_FN u64 run_of_rows(u32 count) { return count ? u64(1) << 32 | count : 0; }

/// sums[tile] = the sum of run_of_rows() of the tile's places.
extern "C" __global__ void __launch_bounds__(kThreads)
    sum_runs(const u32* standing, u64 count, const u32* counts, u64* sums) {
  const RunPlaces places = {standing, count, counts};
  u64 sum = 0, total;
  for (u32 i = threadIdx.x; i < kTileRows; i += kThreads)
    sum += run_of_rows(places.rows(blockIdx.x * u64(kTileRows) + i));
  scan_block(sum, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// Where each run starts in the order of rows, by the row that stands for it; its number in the order of
/// runs, if `numbers` is there; and, if `runs` is, its Matches, by that number or by the place. `sums` is
/// what scan_tiles() made of sum_runs(), and the RunsSeen follow it.
extern "C" __global__ void __launch_bounds__(kThreads)
    start_runs(const u32* standing, u64 count, const u32* counts, const u64* sums, u32* starts, u32* numbers,
               Matches* runs, u32* longest) {
  const RunPlaces places = {standing, count, counts};
  constexpr u32 kEach = kTileRows / kThreads;
  const u64 first = blockIdx.x * u64(kTileRows) + threadIdx.x * kEach;
  u32 lengths[kEach], most = 0;
  u64 sum = 0, total;
  for (u32 i = 0; i < kEach; i++) sum += run_of_rows(lengths[i] = places.rows(first + i));
  u64 at = sums[blockIdx.x] + scan_block(sum, total);
  for (u32 i = 0; i < kEach && first + i < places.count; i++) {
    const u64 place = first + i;
    const u32 length = lengths[i], row = places.row(place);
    if (length) starts[row] = u32(at);
    if (length && numbers) numbers[row] = u32(at >> 32);
    if (runs && (length || !numbers)) runs[numbers ? at >> 32 : place] = {u32(at), length};
    at += run_of_rows(length);
    most = length > most ? length : most;
  }
  for (u32 distance = 16; distance; distance /= 2) {
    const u32 other = __shfl_xor_sync(~0u, most, distance);
    most = other > most ? other : most;
  }
  if (lane() == 0) atomicMax(longest, most);
}

/// Rows become the numbers of their runs: each `stride`-th of a lookup's words.
extern "C" __global__ void __launch_bounds__(kThreads)
    number_runs(u32* words, u64 count, u32 stride, const u32* numbers) {
  for (u64 i = thread(); i < count; i += threads()) {
    u32& row = words[i * stride];
    if (row != kNoRow) row = numbers[row];
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
LANES_FN u32 pairs_of(u32 found, const Matches* runs, u32 least) {
  return found == kNoRow ? least : runs[found].count;
}

/// sums[tile] = pairs of the tile of the list's rows.
extern "C" __global__ void __launch_bounds__(kThreads)
    count_pairs(const u32* list, u64 count, const u32* found, const Matches* runs, u32 least, u64* sums) {
  u64 sum = 0, total;
  for (u32 i = threadIdx.x; i < kTileRows; i += kThreads) {
    const u64 at = blockIdx.x * u64(kTileRows) + i;
    if (at < count) sum += pairs_of(found[list[at]], runs, least);
  }
  scan_block(sum, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// Rows of so many pairs are for all threads of a block.
inline constexpr u32 kLongRun = 1024;

/// Pairs of one row, which stand side by side.
struct RowPairs {
  u32 row, pairs;
  u32 run;  ///< where the first match is in the order of runs; kNoRow: there is none
  u32 to;   ///< where the first pair goes

  LANES_FN void write(u32 pair, const u32* order, u32* left, u32* right) const {
    left[to + pair] = row;
    right[to + pair] = run == kNoRow ? kNoRow : order ? order[run + pair] : run + pair;
  }
  /// Those of another lane, without their number.
  LANES_FN RowPairs of_lane(u32 lane) const {
    return {__shfl_sync(~0u, row, lane), 0, __shfl_sync(~0u, run, lane), __shfl_sync(~0u, to, lane)};
  }
};

/// Writes the pairs of a tile, side by side, in the order of its rows. There are less than 2^32 in all.
extern "C" __global__ void __launch_bounds__(kThreads)
    write_pairs(const u32* list, u64 count, const u32* found, const Matches* runs, const u32* order,
                u32 least, const u64* sums, u32* left, u32* right) {
  constexpr u32 kEach = kTileRows / kThreads;
  __shared__ RowPairs longs[kTileRows];
  __shared__ u32 long_rows;
  const u64 first = blockIdx.x * u64(kTileRows) + threadIdx.x / 32 * (32 * kEach) + lane();
  RowPairs rows[kEach];
  u32 sum = 0;
  u64 total;
  for (u32 i = 0; i < kEach; i++) {
    const u64 at = first + i * 32;
    rows[i] = {at < count ? list[at] : 0, 0, kNoRow, 0};
    const u32 match = at < count ? found[rows[i].row] : kNoRow;
    if (at < count) rows[i].pairs = pairs_of(match, runs, least);
    if (match != kNoRow) rows[i].run = runs[match].first;
    sum += rows[i].pairs;
  }
  if (threadIdx.x == 0) long_rows = 0;
  // Lanes hold every 32nd row: the sum before the warp is what counts.
  u32 to = u32(sums[blockIdx.x]) + __shfl_sync(~0u, u32(scan_block(sum, total)), 0);
  for (u32 i = 0; i < kEach; i++) {
    u32 end = rows[i].pairs;
    for (u32 distance = 1; distance < 32; distance *= 2) {
      const u32 before = __shfl_up_sync(~0u, end, distance);
      if (lane() >= distance) end += before;
    }
    rows[i].to = to + end - rows[i].pairs;
    to += __shfl_sync(~0u, end, 31);
    if (rows[i].pairs >= kLongRun) {
      longs[atomicAdd(&long_rows, 1)] = rows[i];
      rows[i].pairs = 0;
    }
    share(rows[i], [&](const RowPairs& row, u32 number, bool is_pair) {
      if (is_pair) row.write(number, order, left, right);
    });
  }
  __syncthreads();
  for (u32 i = 0; i < long_rows; i++) {
    for (u32 pair = threadIdx.x; pair < longs[i].pairs; pair += kThreads)
      longs[i].write(pair, order, left, right);
  }
}

/// to[i] = from[places[i]].
template <class T>
LANES_FN void take(const void* from, const u32* places, u64 count, void* to) {
  for (u64 i = thread(); i < count; i += threads())
    static_cast<T*>(to)[i] = static_cast<const T*>(from)[places[i]];
}
extern "C" __global__ void __launch_bounds__(kThreads)
    take_rows(const u32* from, const u32* places, u64 count, u32* to) {
  take<u32>(from, places, count, to);
}
/// The same of values of so many bytes: 1, 2, 4, 8 or 16.
extern "C" __global__ void __launch_bounds__(kThreads)
    take_values(const void* from, u32 bytes, const u32* places, u64 count, void* to) {
  if (bytes == 1) take<u8>(from, places, count, to);
  if (bytes == 2) take<unsigned short>(from, places, count, to);
  if (bytes == 4) take<u32>(from, places, count, to);
  if (bytes == 8) take<u64>(from, places, count, to);
  if (bytes == 16) take<ulonglong2>(from, places, count, to);
}
/// The same of bits.
extern "C" __global__ void __launch_bounds__(kThreads)
    take_bits(const u32* from, const u32* places, u64 count, u32* to) {
  for (u64 first = warp() * 32; first < count; first += warps() * 32) {
    const u64 i = first + lane();
    const u32 bits = __ballot_sync(~0u, i < count && (from[places[i] / 32] >> (places[i] & 31) & 1));
    if (lane() == 0) to[first / 32] = bits;
  }
}

#endif

}  // namespace lanewise::kernel
