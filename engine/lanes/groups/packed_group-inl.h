#pragma once

#include "lanes/lane.h"
#include "lanes/tables/packed_table.h"

namespace lanewise::lanes {

/// One row per byte of a register: 64 or 32 rows step at once, with the automaton's table in registers, too.
/// A walk takes 16 bytes of every row (16 adjacent bytes may be read after any row's last), looks up
/// their classes, transposes rows to columns, and steps 16 times; lanes whose row has ended keep their state.
/// If all bytes are of classes that do not leave the start state, a walk ends after the look-up.
///
/// Register offers lanes, Mask, splat, pieces, zip_low, zip_high, add, subtract, larger, equal, greater,
/// select, step_if_more, remaining, advance, expand, expand_numbers; Classes and Next look up one byte per
/// lane.
template <class Register, class Classes, class Next>
struct PackedGroup {
  static constexpr u32 width = Register::lanes;
  static constexpr u32 local = width;
  static constexpr u32 kBlock = 16;
  static constexpr u32 kPatience = 64;  // walks
  using Mask = typename Register::Mask;
  static constexpr Mask all = ~Mask(0);
  /// Whether classes have a cheaper look-up that decides which bytes may leave the start: not 0.
  static constexpr bool kLeavingIsCheap = requires(const Classes& c, Register r) { c.leaving(r); };

  /// Offsets are relative to `base`, the offset of the byte at `bytes`; rows are relative to `first_row`.
  LANES_FN PackedGroup(const PackedTable& table, const u8* bytes, u64 base, u64 first_row)
      : classes_(table),
        next_(table),
        state_(Register::splat(table.start)),
        start_(Register::splat(table.start)),
        last_rejecting_(Register::splat(table.last_rejecting)),
        decided_bias_(Register::splat(table.decided_bias)),
        last_undecided_(Register::splat(table.last_undecided)),
        last_staying_(Register::splat(kLeavingIsCheap ? 0 : table.last_staying)),
        patience_(table.may_stay ? kPatience : 0),
        last_bytes_(table.last_bytes),
        bytes_(bytes),
        base_(base),
        first_row_(first_row) {
    for (u32 k = 0; k < width; k++) at_[k] = end_[k] = row_[k] = 0;
  }

  static LANES_FN bool any(Mask m) { return m != 0; }
  static LANES_FN u32 count(Mask m) { return count_bits(m); }
  static LANES_FN u32 rank(Mask m, u32 k) { return count_bits(m & ((Mask(1) << k) - 1)); }
  template <class F>
  static LANES_FN Mask ballot(F f) {
    Mask m = 0;
    for (u32 k = 0; k < width; k++) m |= Mask(bool(f(k))) << k;
    return m;
  }
  template <class F>
  static LANES_FN void each(Mask m, F f) {
    for (; m; m &= m - 1) f(u32(__builtin_ctzll(m)));
  }

  template <class Source>
  LANES_FN void take(Mask idle, const Source& source) {
    state_ = Register::select(idle, start_, state_);
    take_rows(idle, source);
    if (last_bytes_) {
      for (u32 k = 0; k < width; k++)
        at_[k] = end_[k] - at_[k] > last_bytes_ ? end_[k] - last_bytes_ : at_[k];
    }
  }

  template <class Tally>
  LANES_FN Mask walk(Mask busy, Tally& tally) {
    Register bytes[kBlock];
    LANES_UNROLL for (u32 i = 0; i < kBlock; i++) bytes[i] = Register::pieces(bytes_, at_ + i);
    const Register left = Register::remaining(at_, end_);
    if constexpr (Tally::kOn) {
      u64 used = 0;
      each(busy, [&](u32 k) { used += end_[k] - at_[k] < kBlock ? end_[k] - at_[k] : kBlock; });
      tally.walk(width * kBlock, count(busy) * kBlock, used);
    }
    Register::advance(at_, end_);
    if (!stay(busy, bytes)) step(left, bytes);
    const Mask open = Register::greater(left, Register::splat(kBlock));
    const Mask decided = Register::greater(Register::subtract(state_, decided_bias_), last_undecided_);
    return busy & (~open | decided);
  }

  LANES_FN Mask matches(Mask ended) const { return ended & Register::greater(state_, last_rejecting_); }
  LANES_FN u64 row(u32 k) const { return first_row_ + row_[k]; }
  LANES_FN u32 state(u32 k) const {
    alignas(64) u8 states[width];
    state_.store(states);
    return states[k];
  }

 private:
  /// Whether every busy lane is at the start and stays there over this block, whatever its row's last bytes
  /// are. The test is about a tenth of a walk's instructions, so it is skipped after failing too often.
  LANES_FN bool stay(Mask busy, const Register (&bytes)[kBlock]) {
    if (!patience_) return false;
    Register most = leaving(bytes[0]);
    LANES_UNROLL for (u32 i = 1; i < kBlock; i++) most = Register::larger(most, leaving(bytes[i]));
    const bool stays = !Register::greater(most, last_staying_) && !(busy & ~Register::equal(state_, start_));
    if (!stays) {
      patience_--;
    } else if (patience_ < kPatience) {
      patience_ += kPatience / 8;
    }
    return stays;
  }

  /// More than last_staying_ if a byte may leave the start.
  LANES_FN Register leaving(Register bytes) const {
    if constexpr (kLeavingIsCheap) {
      return classes_.leaving(bytes);
    } else {
      return classes_(bytes);
    }
  }

  LANES_FN void step(Register left, const Register (&bytes)[kBlock]) {
    Register classes[kBlock];
    LANES_UNROLL for (u32 i = 0; i < kBlock; i++) classes[i] = classes_(bytes[i]);
    // Column j becomes the class of the j-th byte of every row.
    Register other[kBlock];
    interleave(classes, other);
    interleave(other, classes);
    interleave(classes, other);
    interleave(other, classes);
    Register state = state_;
    LANES_UNROLL for (u32 j = 0; j < kBlock; j++) {
      state = Register::step_if_more(left, j, next_(state, classes[j]), state);
    }
    state_ = state;
  }

  template <class Source>
  LANES_FN void take_rows(Mask idle, const Source& source) {
    if (source.dense()) {
      const u64 row = source.row(0);
      Register::expand_numbers(row_, idle, u32(row - first_row_));
      if (source.offsets32()) {
        Register::expand(at_, idle, source.offsets32() + row, u32(base_));
        Register::expand(end_, idle, source.offsets32() + row + 1, u32(base_) + source.gap());
      } else {
        Register::expand(at_, idle, source.offsets64() + row, base_);
        Register::expand(end_, idle, source.offsets64() + row + 1, base_ + source.gap());
      }
      return;
    }
    u64 r = 0;
    each(idle, [&](u32 k) {
      const u64 row = source.row(r++);
      row_[k] = u32(row - first_row_);
      at_[k] = u32(source.begin(row) - base_);
      end_[k] = u32(source.end(row) - base_);
    });
  }

  static LANES_FN void interleave(const Register (&in)[kBlock], Register (&out)[kBlock]) {
    LANES_UNROLL for (u32 i = 0; i < kBlock / 2; i++) {
      out[2 * i] = Register::zip_low(in[i], in[i + kBlock / 2]);
      out[2 * i + 1] = Register::zip_high(in[i], in[i + kBlock / 2]);
    }
  }

  Classes classes_;
  Next next_;
  Register state_, start_, last_rejecting_, decided_bias_, last_undecided_, last_staying_;
  u32 patience_;  // remaining failures of stay() before it is skipped
  u32 last_bytes_;
  const u8* bytes_;
  u64 base_;
  u64 first_row_;
  alignas(64) u32 at_[width];
  alignas(64) u32 end_[width];
  alignas(64) u32 row_[width];
};

}  // namespace lanewise::lanes
