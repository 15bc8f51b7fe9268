#pragma once

#include "codegen/rows-inl.h"
#include "expr/gpu/bytes-inl.h"

/// Which rows of a string column hold a literal: at their beginning or end, as a whole, or anywhere.
namespace lanewise::kernel {

inline constexpr u32 kMostNeedle = 64;  // bytes

/// Laid out as ops/filter/gpu/match.cc fills it.
struct NeedleJob {
  u64 rows;
  u64 offsets, bytes;  ///< of the column
  u64 active;          ///< bitmap of the rows that are tested; 0: all
  u64 hits;            ///< bitmap of zeros
  u32 size;            ///< of the needle
  u32 first, second;   ///< anywhere: places of two of its bytes, first <= second < first + 4
  u64 words[kMostNeedle / 8];
};

#if defined(__CUDACC__)

/// 32 bytes of the text at a time, all requested at once.
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

/// Rows that begin (kEnd: end) with the needle; kWhole: that are it; `hits` is all zeros. A lane takes
/// several rows at a time, so that enough of their first bytes are on their way. Where most rows have these,
/// it requests all bytes of one row after the other: what several have read would be gone from the cache
/// before it is read on.
template <class Offset, bool kEnd, bool kWhole>
LANES_FN void match_fixed(const NeedleJob& job) {
  constexpr u32 kWords = 4;
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const auto* bytes = reinterpret_cast<const u8*>(job.bytes);
  const bool is_long = job.size > 16;
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
    const auto compare = [&](u32 word) {
      const u32 left = job.size - word * 8, count = left < 8 ? left : 8;
      u64 words[kWords];
#pragma unroll
      for (u32 j = 0; j < kWords; j++) words[j] = same[j] ? bytes_at(at[j] + word * 8, count) : 0;
#pragma unroll
      for (u32 j = 0; j < kWords; j++) same[j] = same[j] && words[j] == job.words[word];
    };
    if (!most) compare(0);
    if (job.size > 8 && !is_long) compare(1);
    u32 found = 0;
    LANEWISE_ROLLED
    for (u32 j = 0; j < kWords; j++) {
      const bool hit = same[0] && (!is_long || holds_needle(job, at[0]));
      found += __popc(__ballot_sync(~0u, most ? hit : same[0]));
      const u32 word = __ballot_sync(~0u, hit);
      if (lane() == 0 && word) reinterpret_cast<u32*>(job.hits)[first / 32 + j] = word;
      shift(same);
      shift(at);
    }
    most = is_long && found > kWords * 16;
  }
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

/// Rows that follow each other, where their text begins and ends, and how many begin within a byte of it, on
/// average.
template <class Offset>
struct RowsOfText {
  const Offset* offsets;
  u64 rows;
  u64 begin, end;
  float per_byte;
};

/// A row of a text, and where it lies there.
struct PlacedRow {
  u32 row;
  u64 begin, end;
};

/// The row that holds this byte, guessed again and again from one whose place is known, at first `near`.
template <class Offset>
LANES_FN PlacedRow row_at(const RowsOfText<Offset>& text, u64 place, const PlacedRow& near) {
  i64 low = 0, high = i64(text.rows) - 1;
  i64 known = near.row, least = 0;  // least: rows to go beyond the guess, so that no row takes long to find
  u64 at = near.begin;
  for (;;) {
    const i64 guessed = i64(float(i64(place - at)) * text.per_byte);
    i64 row = known + guessed + (place < at ? -1 - least : least);
    if (row < low || row > high) row = (low + high) / 2;
    const PlacedRow found = {u32(row), text.offsets[row], text.offsets[row + 1]};
    if (place < found.begin) {
      high = row - 1;
      known = row;
      at = found.begin;
    } else if (place >= found.end) {
      low = known = row + 1;
      at = found.end;
    } else {
      return found;
    }
    least = 2 * least + 1;
  }
}

/// Two bytes of the needle, each four times in a word, and by how many bits the second is further back.
struct BytePair {
  u32 first, second, distance;

  /// The top bit of each byte of words[0] to words[3] at which the pair lies, and perhaps of one after it.
  LANES_FN void find(const u32 (&words)[5], u32 (&found)[4]) const {
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
      const u32 differ = (words[k] ^ first) | (__funnelshift_r(words[k], words[k + 1], distance) ^ second);
      found[k] = (differ - 0x01010101) & ~differ & 0x80808080;
    }
  }
};

/// Compares the needle at up to 32 queued places, which count from `from`, and finds their rows. `near`: a
/// row found before; `count`: bytes of the needle's first word.
template <class Offset>
LANES_FN void look_closer(const NeedleJob& job, const RowsOfText<Offset>& rows, const u8* bytes, u64 from,
                          Queue& queue, PlacedRow& near, u32 count) {
  u32 behind = 0;
  bool is_there = queue.take(behind);
  const u64 at = from + behind, place = at - job.first;
  is_there = is_there && at >= rows.begin + job.first && place + job.size <= rows.end &&
             bytes_at(bytes + place, count) == job.words[0] &&
             (job.size <= 8 || holds_needle(job, bytes + place));
  PlacedRow row = near;
  if (is_there) {
    row = row_at(rows, place, near);
    if (place + job.size <= row.end)
      atomicOr(reinterpret_cast<u32*>(job.hits) + row.row / 32, 1u << row.row % 32);
  }
  if (const u32 found = __ballot_sync(~0u, is_there)) {
    near.row = __shfl_sync(~0u, row.row, __ffs(found) - 1);
    near.begin = __shfl_sync(~0u, row.begin, __ffs(found) - 1);
  }
}

/// Rows that hold the needle; `hits` is all zeros. A warp takes a share of the text as it lies, wherever rows
/// begin, 16 bytes a lane, and compares two of the needle's bytes at all places at once. Where both are right
/// the place is queued until there is one for each lane: then all lanes look closer. A row is looked for only
/// where the needle is.
template <class Offset>
LANES_FN void match_anywhere(const NeedleJob& job) {
  constexpr u32 kLoads = 8, kPiece = 32 * 16, kStep = kLoads * kPiece;
  constexpr u64 kMostShare = u64(1) << 31;  // places in it have 32 bits
  __shared__ u32 memory[kThreads / 32][Queue::kRoom];
  Queue queue(memory[threadIdx.x / 32]);
  const auto* offsets = reinterpret_cast<const Offset*>(job.offsets);
  const auto* bytes = reinterpret_cast<const u8*>(job.bytes);
  const u32 count = job.size < 8 ? job.size : 8;
  const BytePair pair = {u32(job.words[job.first / 8] >> job.first % 8 * 8 & 255) * 0x01010101,
                         u32(job.words[job.second / 8] >> job.second % 8 * 8 & 255) * 0x01010101,
                         (job.second - job.first) * 8};

  const u64 begin = offsets[0], end = offsets[job.rows], start = begin & ~u64(15);
  const u64 even = ((end - start) / warps() / kStep + 1) * kStep,
            share = even < kMostShare ? even : kMostShare;
  const RowsOfText<Offset> rows = {offsets, job.rows, begin, end, float(job.rows) / float(end - begin)};
  for (u64 from = start + warp() * share; from < end; from += warps() * share) {
    const u64 stop = from + share < end ? from + share : end;
    PlacedRow near = {};
    near.begin = begin;
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
        pair.find(words, found);
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
          if (queue.is_enough()) look_closer(job, rows, bytes, from, queue, near, count);
        }
      }
    }
    look_closer(job, rows, bytes, from, queue, near, count);
  }
}

#endif

}  // namespace lanewise::kernel
