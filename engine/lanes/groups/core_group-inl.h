#pragma once

#include "lanes/lane.h"
#include "lanes/tables/tables-inl.h"

namespace lanewise::lanes {

/// W lanes of one core's thread. A walk takes as many steps as the shortest window has bytes, unmasked, on
/// all lanes. W = 1 is the scalar target, 4 and 8 interleave, 32 emulates a warp. Time is a clock
/// shared by all lanes, one tick per step: a lane is set once for its row, however many walks it takes part
/// in.
template <u32 W, class Table>
struct CoreGroup {
  static constexpr u32 width = W;
  static constexpr u32 local = W;
  static constexpr u64 kLongestWalk = 4096;  // so that a decided lane does not wait long
  using Mask = u32;
  static constexpr Mask all = W == 32 ? ~0u : (1u << W) - 1;

  CoreGroup(const Table& table, const Verdicts& verdicts, const u8* bytes)
      : table_(table), verdicts_(verdicts), bytes_(reinterpret_cast<u64>(bytes)) {}

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
      base_[k] = bytes_ + source.begin(row) - clock_;
      end_[k] = bytes_ + source.end(row) - base_[k];
      state_[k] = verdicts_.start;
    });
  }

  template <class Tally>
  LANES_FN Mask walk(Mask busy, Tally& tally) {
    if (busy != all) {  // an idle lane repeats a busy one, so that it reads no byte of other rows
      const u32 first = __builtin_ctz(busy);
      each(all & ~busy,
           [&](u32 k) { base_[k] = base_[first], end_[k] = end_[first], state_[k] = state_[first]; });
    }
    u64 until = clock_ + kLongestWalk;
    LANES_UNROLL for (u32 k = 0; k < W; k++) until = end_[k] < until ? end_[k] : until;
    Mask ended = step(table_, verdicts_, base_, state_, clock_, until);
    LANES_UNROLL for (u32 k = 0; k < W; k++) ended |= Mask(end_[k] == until) << k;  // no jump
    if constexpr (Tally::kOn) {
      const u64 size = until - clock_;
      tally.walk(W * size, count(busy) * size, count(busy) * size);
    }
    clock_ = until;
    return ended & busy;
  }

  LANES_FN Mask matches(Mask ended) const {
    Mask m = 0;
    each(ended, [&](u32 k) { m |= Mask(verdicts_.accepts(u32(state_[k]))) << k; });
    return m;
  }
  LANES_FN u64 row(u32 k) const { return row_[k]; }
  LANES_FN u32 state(u32 k) const { return u32(state_[k]); }

 private:
  /// Steps all lanes from `clock` to `until`; returns the decided ones. Not inlined: among all values of a
  /// walk, the compiler would not keep the states in registers.
  [[gnu::noinline]] static Mask step(const Table table, const Verdicts& verdicts, const u64* bases,
                                     u64* states, u64 clock, u64 until) {
    using State = typename Table::State;
    State state[W];
    u64 base[W];
    LANES_UNROLL for (u32 k = 0; k < W; k++) state[k] = State(states[k]), base[k] = bases[k];
    for (; clock < until; clock++) {
      LANES_UNROLL for (u32 k = 0; k < W; k++) {
        state[k] = table.step(state[k], *reinterpret_cast<const u8*>(base[k] + clock));
      }
    }
    Mask decided = 0;
    LANES_UNROLL for (u32 k = 0; k < W; k++) {
      states[k] = state[k];
      decided |= Mask(verdicts.is_decided(u32(state[k]))) << k;
    }
    return decided;
  }

  Table table_;
  Verdicts verdicts_;
  u64 bytes_;
  u64 clock_ = 0;
  u64 base_[W];  // start of the lane's row, minus the time when it was taken
  u64 end_[W];   // when the row ends
  u64 state_[W];
  u64 row_[W];
};

}  // namespace lanewise::lanes
