#pragma once

#include "lanes/lane.h"
#include "lanes/tables-inl.h"

namespace lanewise::lanes {

/// W lanes of one core's thread. A walk takes as many steps as the shortest window has bytes, unmasked, on
/// all lanes. W = 1 is the scalar target, 4 and 8 interleave, 32 is the emulation of a warp.
template <u32 W, class Table>
struct CoreGroup {
  static constexpr u32 width = W;
  static constexpr u32 local = W;
  static constexpr u64 kLongestWalk = 4096;  // so that a decided lane does not wait for long
  using Mask = u32;
  static constexpr Mask all = W == 32 ? ~0u : (1u << W) - 1;

  CoreGroup(const Table& table, const Verdicts& verdicts, const u8* bytes)
      : table_(table), verdicts_(verdicts), bytes_(bytes) {
    for (u32 k = 0; k < W; k++) at_[k] = end_[k] = bytes, state_[k] = 0, row_[k] = 0;
  }

  static LANES_FN bool any(Mask m) { return m != 0; }
  static LANES_FN u32 count(Mask m) { return count_bits(m); }
  static LANES_FN u32 rank(Mask m, u32 k) { return count_bits(m & ((1u << k) - 1)); }
  template <class F>
  static LANES_FN Mask ballot(F f) {
    Mask m = 0;
    LANES_UNROLL for (u32 k = 0; k < W; k++) m |= Mask(bool(f(k))) << k;
    return m;
  }
  template <class F>
  static LANES_FN void each(Mask m, F f) {
    for (; m; m &= m - 1) f(u32(__builtin_ctz(m)));
  }

  template <class Source>
  LANES_FN void take(Mask idle, const Source& source) {
    u64 r = 0;
    each(idle, [&](u32 k) {
      const u64 row = source.row(r++);
      row_[k] = row;
      at_[k] = bytes_ + source.begin(row);
      end_[k] = bytes_ + source.end(row);
      state_[k] = verdicts_.start;
    });
  }

  template <class Tally>
  LANES_FN Mask walk(Mask busy, Tally& tally) {
    if (busy != all) {  // an idle lane repeats a busy one, so that it reads no foreign byte
      const u32 first = __builtin_ctz(busy);
      each(all & ~busy,
           [&](u32 k) { at_[k] = at_[first], end_[k] = end_[first], state_[k] = state_[first]; });
    }
    u32 state[W];
    u64 size = kLongestWalk;
    LANES_UNROLL for (u32 k = 0; k < W; k++) {
      state[k] = state_[k];
      const u64 left = u64(end_[k] - at_[k]);
      size = left < size ? left : size;
    }
    const Table table = table_;
    for (u64 j = 0; j < size; j++) {
      LANES_UNROLL for (u32 k = 0; k < W; k++) state[k] = table.step(state[k], at_[k][j]);
    }
    Mask ended = 0;
    LANES_UNROLL for (u32 k = 0; k < W; k++) {
      at_[k] += size;
      state_[k] = state[k];
      ended |= Mask((at_[k] == end_[k]) | verdicts_.is_decided(state[k])) << k;  // no jump
    }
    if constexpr (Tally::kOn) tally.walk(W * size, count(busy) * size, count(busy) * size);
    return ended & busy;
  }

  LANES_FN Mask matches(Mask ended) const {
    Mask m = 0;
    each(ended, [&](u32 k) { m |= Mask(verdicts_.accepts(state_[k])) << k; });
    return m;
  }
  LANES_FN u64 row(u32 k) const { return row_[k]; }

 private:
  Table table_;
  Verdicts verdicts_;
  const u8* bytes_;
  const u8* at_[W];
  const u8* end_[W];
  u32 state_[W];
  u64 row_[W];
};

}  // namespace lanewise::lanes
