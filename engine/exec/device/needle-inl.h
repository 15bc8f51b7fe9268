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
  u64 hits;            ///< bitmap of zeros
  u32 size;            ///< of the needle
  u32 first, second;   ///< anywhere: places of two of its bytes, first <= second < first + 4
  u64 words[kMostNeedle / 8];
};

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

/// What a warp's lanes are to look closer at: kept until there is something for each of them.
class Queue {
 public:
  static constexpr u32 kRoom = 64;  // a full warp's, and what was there before

  LANES_FN explicit Queue(u32* memory) : memory_(memory) {}
  LANES_FN bool is_enough() const { return held_ >= 32; }
  LANES_FN void put(u32 lanes, u32 value) {
    if (lanes >> lane() & 1) memory_[held_ + __popc(lanes & ((1u << lane()) - 1))] = value;
    held_ += __popc(lanes);
    __syncwarp();
  }
  /// Up to 32 values, the latest ones: whether there is one for this lane.
  LANES_FN bool take(u32& value) {
    const u32 count = held_ < 32 ? held_ : 32;
    held_ -= count;
    if (lane() < count) value = memory_[held_ + lane()];
    __syncwarp();
    return lane() < count;
  }

 private:
  u32* memory_;
  u32 held_ = 0;
};

/// Rows that begin (kEnd: end) with the needle; kWhole: that are it; `hits` is all zeros. A lane takes
/// several rows at a time, so that enough of their first bytes are on their way; rows that have these are
/// queued. Where most rows do, it asks for all bytes of one row after the other: what several have read would
/// be gone from the cache before it is read on.
template <class Offset, bool kEnd, bool kWhole>
LANES_FN void match_fixed(const NeedleJob& job) {
  constexpr u32 kWords = 4;
  __shared__ u32 memory[kThreads / 32][Queue::kRoom];
  Queue queue(memory[threadIdx.x / 32]);
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const auto* bytes = reinterpret_cast<const u8*>(job.bytes);
  u32* const hits = reinterpret_cast<u32*>(job.hits);
  const auto begin_of = [&](const Text& one) { return kEnd ? one.at + one.size - job.size : one.at; };
  const auto look_closer = [&] {
    u32 row;
    if (queue.take(row) && holds_needle(job, begin_of(text(offsets, bytes, row))))
      atomicOr(&hits[row / 32], 1u << row % 32);
  };
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
      at[j] = begin_of(one);
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
      const bool is_hit = most ? same[0] && holds_needle(job, at[0]) : same[0];
      const u32 word = __ballot_sync(~0u, is_hit);
      found += __popc(word);
      if (most || job.size <= 8) {
        if (lane() == 0 && word) hits[first / 32 + j] = word;
      } else if (word) {
        queue.put(word, u32(first) + j * 32 + lane());
        if (queue.is_enough()) look_closer();
      }
      shift(same);
      shift(at);
    }
    most = job.size > 8 && found > kWords * 16;
  }
  look_closer();
}

/// The row that holds this byte of the text, looked for from the row `near` on, in either direction.
template <class Offset>
LANES_FN u32 row_at(const Offset* offsets, u64 rows, u64 place, u32 near) {
  constexpr u32 kStep = 16;
  u64 low = near;
  LANEWISE_ROLLED
  for (u64 step = kStep; offsets[low] > place; step *= 2) low = low > step ? low - step : 0;
  u64 high = low;
  LANEWISE_ROLLED
  for (u64 step = kStep; offsets[high + 1] <= place; step *= 2) {
    low = high + 1;
    high = high + step < rows ? high + step : rows - 1;
  }
  LANEWISE_ROLLED
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (offsets[middle + 1] <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return u32(low);
}

/// Rows that hold the needle; `hits` is all zeros. A warp takes a share of the text as it lies, wherever rows
/// begin, 16 bytes a lane, and compares two of the needle's bytes at all places at once. Where both are right
/// the place is queued until there is one for each lane: then all lanes look closer. A row is looked for only
/// where the needle is.
template <class Offset>
LANES_FN void match_anywhere(const NeedleJob& job) {
  constexpr u32 kLoads = 4, kPiece = 32 * 16, kStep = kLoads * kPiece;
  constexpr u64 kMostShare = u64(1) << 31;  // places in it have 32 bits
  __shared__ u32 memory[kThreads / 32][Queue::kRoom];
  Queue queue(memory[threadIdx.x / 32]);
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const auto* bytes = reinterpret_cast<const u8*>(job.bytes);
  const u32 byte_a = u32(job.words[job.first / 8] >> job.first % 8 * 8 & 255) * 0x01010101;
  const u32 byte_b = u32(job.words[job.second / 8] >> job.second % 8 * 8 & 255) * 0x01010101;
  const u32 distance = (job.second - job.first) * 8;

  const u64 begin = offsets[0], end = offsets[job.rows], start = begin & ~u64(15);
  const u64 even = ((end - start) / warps() / kStep + 1) * kStep,
            share = even < kMostShare ? even : kMostShare;
  for (u64 from = start + warp() * share; from < end; from += warps() * share) {
    const u64 stop = from + share < end ? from + share : end;
    const u64 alike = u64(float(from - start) / float(end - start) * float(job.rows));  // if rows are
    u32 near = u32(alike < job.rows ? alike : job.rows - 1);
    const auto look_closer = [&] {
      u32 behind = 0, row = near;
      bool is_there = queue.take(behind);
      const u64 at = from + behind, place = at - job.first;
      is_there =
          is_there && at >= begin + job.first && place + job.size <= end && holds_needle(job, bytes + place);
      if (is_there) {
        row = row_at(offsets, job.rows, place, near);
        if (place + job.size <= offsets[row + u64(1)])
          atomicOr(reinterpret_cast<u32*>(job.hits) + row / 32, 1u << row % 32);
      }
      const u32 found = __ballot_sync(~0u, is_there);
      if (found) near = __shfl_sync(~0u, row, __ffs(found) - 1);
    };

    for (u64 at = from; at < stop; at += kStep) {
      uint4 loaded[kLoads];
#pragma unroll
      for (u32 i = 0; i < kLoads; i++) {
        const u64 place = at + i * kPiece + lane() * 16;
        loaded[i] = place < stop ? *reinterpret_cast<const uint4*>(bytes + place) : uint4{};
      }
      const bool goes_on = lane() == 0 && at + kStep - 16 < stop;
      const u32 behind_all = goes_on ? *reinterpret_cast<const u32*>(bytes + at + kStep) : 0;
#pragma unroll
      for (u32 i = 0; i < kLoads; i++) {
        const u32 behind_piece = i + 1 < kLoads ? loaded[i + 1 < kLoads ? i + 1 : i].x : behind_all;
        const u32 behind = __shfl_sync(~0u, lane() == 0 ? behind_piece : loaded[i].x, lane() + 1 & 31);
        const u32 words[5] = {loaded[i].x, loaded[i].y, loaded[i].z, loaded[i].w, behind};
        u32 found[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
          const u32 differ =
              (words[k] ^ byte_a) | (__funnelshift_r(words[k], words[k + 1], distance) ^ byte_b);
          found[k] = (differ - 0x01010101) & ~differ & 0x80808080;
        }
        const u32 within = i * kPiece + lane() * 16;  // the step
        const bool any = (found[0] | found[1] | found[2] | found[3]) && at + within < stop;
        if (!__ballot_sync(~0u, any)) continue;
        u32 places = 0;  // a bit for each of the 16 bytes
#pragma unroll
        for (u32 k = 0; k < 4; k++) places |= (found[k] >> 7) * 0x01020408 >> 24 << k * 4;
        if (!any) places = 0;
        LANEWISE_ROLLED
        while (const u32 lanes = __ballot_sync(~0u, places != 0)) {
          queue.put(lanes, u32(at - from) + within + __ffs(places) - 1);
          places &= places - 1;
          if (queue.is_enough()) look_closer();
        }
      }
    }
    look_closer();
  }
}

#endif

}  // namespace lanewise::kernel
