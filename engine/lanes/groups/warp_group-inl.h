#pragma once

// Freestanding: this text is compiled by NVRTC.
#if defined(__CUDACC__)

#include "lanes/lane.h"
#include "lanes/tables/tables-inl.h"

namespace lanewise::lanes {

/// The state after byte k of a word. One instruction computes the index into a ByteTable.
template <class Table>
LANES_FN u32 step(const Table& table, u32 state, u32 word, u32 k) {
  return table.step(state, word >> 8 * k & 255);
}
LANES_FN u32 step(const ByteTable& table, u32 state, u32 word, u32 k) {
  return table.next[__byte_perm(word, state, 0x5540 | k)];
}

/// The 32 lanes of a warp, one in each thread. A walk loads up to 16 bytes of each lane's row, aligned, and
/// takes 16 unconditional steps with a select: a branch per byte costs more than the steps that it saves. The
/// text starts at a multiple of 16 bytes; 16 bytes after its end are readable.
template <class Table>
struct WarpGroup {
  static constexpr u32 width = 32;
  static constexpr u32 local = 1;
  static constexpr u32 kBlock = 16;
  using Mask = u32;
  static constexpr Mask all = ~0u;

  LANES_FN WarpGroup(const Table& table, const Verdicts& verdicts, const u8* bytes)
      : table_(table), verdicts_(verdicts), bytes_(bytes), lane_(threadIdx.x & 31) {}

  static LANES_FN bool any(Mask m) { return m != 0; }
  static LANES_FN u32 count(Mask m) { return __popc(m); }
  static LANES_FN u32 rank(Mask m, u32 /*k*/) { return __popc(m & ((1u << (threadIdx.x & 31)) - 1)); }
  template <class F>
  static LANES_FN Mask ballot(F f) {
    return __ballot_sync(all, f(threadIdx.x & 31));
  }
  template <class F>
  static LANES_FN void each(Mask m, F f) {
    if (m >> (threadIdx.x & 31) & 1) f(threadIdx.x & 31);
  }

  template <class Source>
  LANES_FN void take(Mask idle, const Source& source) {
    if (!holds(idle)) return;
    row_ = source.row(rank(idle, lane_));
    at_ = source.begin(row_);
    end_ = source.end(row_);
    state_ = verdicts_.start;
  }

  template <class Tally>
  LANES_FN Mask walk(Mask busy, Tally& tally) {
    const u32 skip = u32(at_) & 15;
    const ulonglong2 words = *reinterpret_cast<const ulonglong2*>(bytes_ + (at_ & ~u64(15)));
    u64 low = skip & 8 ? words.y : words.x, high = skip & 8 ? 0 : words.y;
    if (skip & 7) {
      const u32 shift = (skip & 7) * 8;
      low = low >> shift | high << (64 - shift);
      high >>= shift;
    }
    const u32 loaded = kBlock - skip;
    const u32 left = end_ - at_ < loaded ? u32(end_ - at_) : loaded;
    const u32 steps = holds(busy) ? left : 0;
    u32 state = state_;
#pragma unroll
    for (u32 j = 0; j < kBlock; j++) {
      const u32 next = step(table_, state, u32((j < 8 ? low : high) >> j / 4 % 2 * 32), j % 4);
      state = j < steps ? next : state;
    }
    state_ = state;
    at_ += steps;
    if constexpr (Tally::kOn) tally.walk(kBlock, holds(busy) ? kBlock : 0, steps);  // of this thread's lane
    return busy & __ballot_sync(all, at_ == end_ || verdicts_.is_decided(state));
  }

  LANES_FN Mask matches(Mask ended) const {
    return holds(ended) && verdicts_.accepts(state_) ? 1u << lane_
                                                     : 0;  // `each` needs this thread's bit only
  }
  LANES_FN u64 row(u32 /*k*/) const { return row_; }
  LANES_FN u32 state(u32 /*k*/) const { return state_; }

 private:
  LANES_FN bool holds(Mask m) const { return m >> lane_ & 1; }

  Table table_;
  Verdicts verdicts_;
  const u8* bytes_;
  u32 lane_;
  u64 at_ = 0, end_ = 0, row_ = 0;
  u32 state_ = 0;
};

}  // namespace lanewise::lanes

#endif
