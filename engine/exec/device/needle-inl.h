#pragma once

#include "exec/device/rows-inl.h"
#include "expr/device/bytes-inl.h"

/// Which rows of a string column hold a literal: at their beginning or end, as a whole, or anywhere.
namespace lanewise::kernel {

inline constexpr u32 kMostNeedle = 64;  // bytes

/// Laid out as exec/device/match.cc fills it.
struct NeedleJob {
  u64 rows;
  u64 offsets, bytes;  ///< of the column
  u64 active;          ///< bitmap of the rows that are asked; 0: all
  u64 hits;            ///< bitmap
  u32 size;            ///< of the needle
  u32 first, second;   ///< anywhere: places of two of its bytes, first <= second < first + 4
  u32 tile_rows;       ///< anywhere: a multiple of 32, at most kMostTileRows
  u64 words[kMostNeedle / 8];
};

inline constexpr u32 kMostTileRows = 2048;  // of a block

#if defined(__CUDACC__)

/// 32 bytes of the text at a time, all asked for at once.
LANES_FN bool holds_needle(const NeedleJob& job, const u8* at) {
  using Part = TextWords<4>;
  LANEWISE_ROLLED
  for (u32 i = 0; i < job.size; i += Part::kSize) {
    const Part part(at + i, job.size - i);
    u64 differ = 0;
    for (u32 k = 0; k < Part::kSize / 8; k++) differ |= part[k] ^ job.words[i / 8 + k];
    if (differ) return false;
  }
  return true;
}

/// Rows that begin (kEnd: end) with the needle; kWhole: that are it. A lane takes several rows at a time, so
/// that enough of their first bytes are on their way. Where most rows have these, it asks for all bytes of
/// one row after the other: what several have read would be gone from the cache before it is read on.
template <class Offset, bool kEnd, bool kWhole>
LANES_FN void match_fixed(const NeedleJob& job) {
  constexpr u32 kWords = 4;
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const auto* bytes = reinterpret_cast<const u8*>(job.bytes);
  const u32 count = job.size < 8 ? job.size : 8;
  bool most = false;  // of the last rows have these bytes, or all
  for (u64 first = warp() * kWords * 32; first < job.rows; first += warps() * kWords * 32) {
    const u8* at[kWords];
    bool same[kWords];
#pragma unroll
    for (u32 j = 0; j < kWords; j++) {
      const u64 row = first + j * 32 + lane();
      const u32 active = active_word(reinterpret_cast<const u32*>(job.active), first / 32 + j, job.rows);
      same[j] = active >> lane() & 1;
      const Text one = same[j] ? text(offsets, bytes, row) : Text{};
      same[j] = same[j] && (kWhole ? one.size == job.size : one.size >= job.size);
      at[j] = kEnd ? one.at + one.size - job.size : one.at;
    }
    if (!most) {
      u64 words[kWords];
#pragma unroll
      for (u32 j = 0; j < kWords; j++) words[j] = same[j] ? bytes_at(at[j], count) : 0;
#pragma unroll
      for (u32 j = 0; j < kWords; j++) same[j] = same[j] && words[j] == job.words[0];
    }
    u32 found = 0;
    LANEWISE_ROLLED
    for (u32 j = 0; j < kWords; j++) {
      const bool hit = same[0] && (job.size <= 8 || holds_needle(job, at[0]));
      found += __popc(__ballot_sync(~0u, most ? hit : same[0]));
      const u32 word = __ballot_sync(~0u, hit);
      if (lane() == 0 && first + j * 32 < job.rows) reinterpret_cast<u32*>(job.hits)[first / 32 + j] = word;
      shift(same);
      shift(at);
    }
    most = job.size > 8 && found > kWords * 16;
  }
}

/// Rows that hold the needle. A block takes the text of a tile of rows as it lies, 16 bytes a thread, and
/// compares two of the needle's bytes at all places at once; where both are right, the place is queued, so
/// that all threads share in looking closer. A row is looked for only then.
template <class Offset>
LANES_FN void match_anywhere(const NeedleJob& job) {
  constexpr u32 kQueue = 2048, kLoads = 4, kStep = kThreads * 16;
  __shared__ u32 queue[kQueue], queued, hits[kMostTileRows / 32];
  __shared__ u64 ends[kMostTileRows];  // of the tile's rows
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const auto* bytes = reinterpret_cast<const u8*>(job.bytes);
  const u32 byte_a = u32(job.words[job.first / 8] >> job.first % 8 * 8 & 255) * 0x01010101;
  const u32 byte_b = u32(job.words[job.second / 8] >> job.second % 8 * 8 & 255) * 0x01010101;
  const u32 distance = (job.second - job.first) * 8;

  for (u64 first = blockIdx.x * u64(job.tile_rows); first < job.rows;
       first += gridDim.x * u64(job.tile_rows)) {
    const u32 rows = u32(job.rows - first < job.tile_rows ? job.rows - first : job.tile_rows);
    const u64 begin = offsets[first], end = offsets[first + rows];
    bool has_ends = false;
    for (u32 i = threadIdx.x; i < job.tile_rows / 32; i += kThreads) hits[i] = 0;

    // So many bytes at a time; after an overflow no more than places fit into the queue.
    u64 part = kLoads * kStep;
    for (u64 at = begin & ~u64(15); at < end;) {
      __syncthreads();  // the queue was read
      if (threadIdx.x == 0) queued = 0;
      __syncthreads();
      const u64 stop = at + part < end ? at + part : end;
      uint4 loaded[kLoads];
      u32 next[kLoads];
#pragma unroll
      for (u32 i = 0; i < kLoads; i++) {
        const u64 place = at + i * kStep + threadIdx.x * 16;
        const bool in = place < stop;
        loaded[i] = in ? *reinterpret_cast<const uint4*>(bytes + place) : uint4{};
        next[i] = in && lane() == 31 ? *reinterpret_cast<const u32*>(bytes + place + 16) : 0;
      }
#pragma unroll
      for (u32 i = 0; i < kLoads; i++) {
        const u32 behind = __shfl_down_sync(~0u, loaded[i].x, 1);
        const u32 words[5] = {loaded[i].x, loaded[i].y, loaded[i].z, loaded[i].w,
                              lane() == 31 ? next[i] : behind};
        u32 found[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
          const u32 differ =
              (words[k] ^ byte_a) | (__funnelshift_r(words[k], words[k + 1], distance) ^ byte_b);
          found[k] = (differ - 0x01010101) & ~differ & 0x80808080;
        }
        const u64 place = at + i * kStep + threadIdx.x * 16;
        if (!(found[0] | found[1] | found[2] | found[3]) || place >= stop) continue;
        u32 places = 0;  // a bit for each of the 16 bytes
#pragma unroll
        for (u32 k = 0; k < 4; k++) places |= (found[k] >> 7) * 0x01020408 >> 24 << k * 4;
        for (; places; places &= places - 1) {
          const u32 slot = atomicAdd(&queued, 1);
          if (slot < kQueue) queue[slot] = u32(place - at) + __ffs(places) - 1;
        }
      }
      __syncthreads();
      const u32 count = queued;
      if (count > kQueue) {
        part = kQueue;  // a place is queued once at most
        continue;
      }
      if (count && !has_ends) {
        for (u32 i = threadIdx.x; i < rows; i += kThreads) ends[i] = offsets[first + i + 1];
        has_ends = true;
        __syncthreads();
      }
      for (u32 i = threadIdx.x; i < count; i += kThreads) {
        const u64 place = at + queue[i] - job.first;
        if (at + queue[i] < begin + job.first || place + job.size > end) continue;
        if (!holds_needle(job, bytes + place)) continue;
        u32 low = 0, high = rows;  // the first row that ends behind the place
        while (low < high) {
          const u32 middle = (low + high) / 2;
          if (ends[middle] <= place) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        if (place + job.size <= ends[low]) atomicOr(&hits[low / 32], 1u << low % 32);
      }
      at += part;
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < (rows + 31) / 32; i += kThreads)
      reinterpret_cast<u32*>(job.hits)[first / 32 + i] = hits[i];
    __syncthreads();
  }
}

#endif

}  // namespace lanewise::kernel
