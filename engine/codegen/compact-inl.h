#pragma once

#include "codegen/rows-inl.h"

/// Turns bitmaps into lists of rows, and scattered strings into contiguous ones. These kernels are the same
/// for every query and have a module of their own.
namespace lanewise::kernel {

inline constexpr u32 kTileWords = 1024;  // words of a bitmap that a block processes
inline constexpr u32 kTileTexts = 1024;

#if defined(__CUDACC__)

/// Returns the sum of `value` over the threads before this one; `total` becomes the sum over all threads of
/// the block. Every thread must call it.
LANES_FN u64 scan_block(u64 value, u64& total) {
  __shared__ u64 sums[kThreads / 32];
  u64 sum = value;
#pragma unroll 1  // here and below: short code, as each kernel compiles it again
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const u64 before = __shfl_up_sync(~0u, sum, distance);
    if (lane() >= distance) sum += before;
  }
  __syncthreads();  // all threads have read the sums of the previous call
  if (lane() == 31) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  u64 before = 0;
  total = 0;
#pragma unroll 1
  for (u32 i = 0; i < kThreads / 32; i++) {
    if (i < threadIdx.x / 32) before += sums[i];
    total += sums[i];
  }
  return before + sum - value;
}

/// sums[tile] = number of rows that are set in a tile of the bitmap.
extern "C" __global__ void __launch_bounds__(kThreads) count_tiles(const u32* bitmap, u64 words, u64* sums) {
  const u64 first = blockIdx.x * u64(kTileWords);
  u64 count = 0, total;
  for (u32 i = threadIdx.x; i < kTileWords; i += kThreads) {
    if (first + i < words) count += __popc(bitmap[first + i]);
  }
  scan_block(count, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// Exclusive prefix sum: values[i] becomes the sum of values[0 .. i), values[count] the total. For one block.
extern "C" __global__ void __launch_bounds__(kThreads) scan_tiles(u64* values, u64 count) {
  u64 before = 0;
  for (u64 first = 0; first < count; first += kThreads) {
    const u64 i = first + threadIdx.x;
    u64 total;
    const u64 sum = scan_block(i < count ? values[i] : 0, total);
    if (i < count) values[i] = before + sum;
    before += total;
  }
  if (threadIdx.x == 0) values[count] = before;
}

/// Lists the rows that are set in the bitmap, in ascending order; `starts` are the tiles' counts after
/// scan_tiles(). A warp writes the rows of a word at once, into adjacent places.
extern "C" __global__ void __launch_bounds__(kThreads)
    list_rows(const u32* bitmap, u64 words, const u64* starts, u32* list) {
  constexpr u32 kEach = kTileWords / kThreads;
  const u64 first = blockIdx.x * u64(kTileWords) + threadIdx.x / 32 * (32 * kEach);  // of the warp
  u32 held[kEach], count = 0;
  for (u32 i = 0; i < kEach; i++) {
    const u64 word = first + i * 32 + lane();
    held[i] = word < words ? bitmap[word] : 0;
    count += __popc(held[i]);
  }
  u64 total;
  u64 at = starts[blockIdx.x] + scan_block(count, total);
  at = __shfl_sync(~0u, at, 0);
#pragma unroll
  for (u32 i = 0; i < kEach; i++) {
#pragma unroll 1
    for (u32 from = 0; from < 32; from++) {
      const u32 word = __shfl_sync(~0u, held[i], from);
      if (word >> lane() & 1)
        list[at + __popc(word & ((1u << lane()) - 1))] = u32((first + i * 32 + from) * 32 + lane());
      at += __popc(word);
    }
  }
}

/// sums[tile] = bytes of the tile's strings.
extern "C" __global__ void __launch_bounds__(kThreads) count_bytes(const Text* texts, u64 count, u64* sums) {
  const u64 first = blockIdx.x * u64(kTileTexts);
  u64 bytes = 0, total;
  for (u32 i = threadIdx.x; i < kTileTexts; i += kThreads) {
    if (first + i < count) bytes += texts[first + i].size;
  }
  scan_block(bytes, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// offsets[i] = bytes of the strings before i, for i in [0, count].
extern "C" __global__ void __launch_bounds__(kThreads)
    lay_out(const Text* texts, u64 count, const u64* starts, u64* offsets) {
  constexpr u32 kEach = kTileTexts / kThreads;
  const u64 first = blockIdx.x * u64(kTileTexts) + threadIdx.x * kEach;
  u64 bytes = 0, total;
  for (u32 i = 0; i < kEach; i++) bytes += first + i < count ? texts[first + i].size : 0;
  u64 at = starts[blockIdx.x] + scan_block(bytes, total);
  for (u32 i = 0; i < kEach; i++) {
    if (first + i > count) return;
    offsets[first + i] = at;
    if (first + i < count) at += texts[first + i].size;
  }
}

/// Copies each string to its place; a warp copies one string at a time.
extern "C" __global__ void __launch_bounds__(kThreads)
    copy_texts(const Text* texts, u64 count, const u64* offsets, u8* bytes) {
  for (u64 i = warp(); i < count; i += warps()) {
    const Text from = texts[i];
    u8* to = bytes + offsets[i];
    for (u64 k = lane(); k < from.size; k += 32) to[k] = from.at[k];
  }
}

/// Moves strings to `room`, in any order; `used` becomes the bytes of all strings. If they exceed `capacity`,
/// some strings are not moved. A warp moves one string at a time.
extern "C" __global__ void __launch_bounds__(kThreads)
    gather_texts(Text* texts, u64 count, u8* room, u64 capacity, u64* used) {
  for (u64 i = warp(); i < count; i += warps()) {
    const Text from = texts[i];
    u64 at = 0;
    if (lane() == 0 && from.size) at = atomicAdd(reinterpret_cast<unsigned long long*>(used), from.size);
    at = __shfl_sync(~0u, at, 0);
    if (!from.size || at + from.size > capacity) continue;
    for (u64 k = lane(); k < from.size; k += 32) room[at + k] = from.at[k];
    if (lane() == 0) texts[i].at = room + at;
  }
}

/// Takes `count` rows of a list at equal distances.
extern "C" __global__ void __launch_bounds__(kThreads)
    sample_rows(const u32* list, u64 rows, u32* sample, u64 count) {
  const u64 i = blockIdx.x * u64(kThreads) + threadIdx.x;
  if (i < count) sample[i] = list[i * rows / count];
}

/// Sets bit i of the bitmap if keys[i] <= last.
template <class Key>
LANES_FN void mark_keys(const Key* keys, u64 count, u64 last, u32* bitmap) {
  for (u64 first = warp() * 32; first < count; first += warps() * 32) {
    const u64 i = first + lane();
    const u32 word = __ballot_sync(~0u, i < count && keys[i] <= last);
    if (lane() == 0) bitmap[first / 32] = word;
  }
}
extern "C" __global__ void __launch_bounds__(kThreads)
    mark_keys_32(const u32* keys, u64 count, u64 last, u32* bitmap) {
  mark_keys(keys, count, last, bitmap);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    mark_keys_64(const u64* keys, u64 count, u64 last, u32* bitmap) {
  mark_keys(keys, count, last, bitmap);
}

/// places[i] = list[places[i]].
extern "C" __global__ void __launch_bounds__(kThreads) pick_rows(const u32* list, u32* places, u64 count) {
  for (u64 i = blockIdx.x * u64(kThreads) + threadIdx.x; i < count; i += gridDim.x * u64(kThreads))
    places[i] = list[places[i]];
}

/// list[places[i]] = rows[i].
extern "C" __global__ void __launch_bounds__(kThreads)
    put_rows(const u32* rows, const u32* places, u64 count, u32* list) {
  for (u64 i = blockIdx.x * u64(kThreads) + threadIdx.x; i < count; i += gridDim.x * u64(kThreads))
    list[places[i]] = rows[i];
}

/// Clears bit i of `alike` if keys[i] differs from keys[i - 1]. Bit 0 is always cleared.
extern "C" __global__ void __launch_bounds__(kThreads) keep_alike(const u64* keys, u64 count, u32* alike) {
  for (u64 first = warp() * 32; first < count; first += warps() * 32) {
    const u64 i = first + lane();
    const u32 word = __ballot_sync(~0u, i > 0 && i < count && keys[i] == keys[i - 1]);
    if (lane() == 0) alike[first / 32] &= word;
  }
}
/// Sets in `tied` the places of `longer` that have an equal neighbour which is also in `longer`. Bit i of
/// `alike`: place i equals place i - 1. All are bitmaps of `words` words.
extern "C" __global__ void __launch_bounds__(kThreads)
    mark_ties(const u32* alike, const u32* longer, u64 words, u32* tied) {
  for (u64 w = blockIdx.x * u64(kThreads) + threadIdx.x; w < words; w += gridDim.x * u64(kThreads)) {
    const u32 before = longer[w] << 1 | (w > 0 ? longer[w - 1] >> 31 : 0);
    const u32 behind = w + 1 < words ? alike[w + 1] & longer[w + 1] : 0;
    const u32 likes = alike[w] & longer[w];
    tied[w] = longer[w] & ((likes & before) | likes >> 1 | behind << 31);
  }
}

#endif

}  // namespace lanewise::kernel
