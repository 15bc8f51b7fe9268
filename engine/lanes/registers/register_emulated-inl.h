#pragma once

#include "lanes/lane.h"
#include "lanes/tables/kind_table.h"
#include "lanes/tables/packed_table.h"

namespace lanewise::lanes::emulated {

/// 64 bytes in plain C++: the definition of every other Register. Lane k of a register is its byte k.
struct Register {
  static constexpr u32 lanes = 64;
  using Mask = u64;  ///< bit k is lane k
  u8 v[lanes];

  template <class F>
  static inline Register make(F f) {
    Register r;
    for (u32 k = 0; k < lanes; k++) r.v[k] = u8(f(k));
    return r;
  }
  template <class F>
  static inline Mask ballot(F f) {
    Mask m = 0;
    for (u32 k = 0; k < lanes; k++) m |= Mask(bool(f(k))) << k;
    return m;
  }

  static inline Register load(const u8* from) {
    return make([&](u32 k) { return from[k]; });
  }
  void store(u8* to) const {
    for (u32 k = 0; k < lanes; k++) to[k] = v[k];
  }
  static inline Register splat(u8 value) {
    return make([&](u32) { return value; });
  }
  /// 16 bytes at each of bytes + at[0], at[16], at[32] ..., one after another.
  static inline Register pieces(const u8* bytes, const u32* at) {
    return make([&](u32 k) { return bytes[u64(at[k / 16 * 16]) + k % 16]; });
  }

  /// a0 b0 a1 b1 ... of the first half of each block of 16 lanes.
  static inline Register zip_low(Register a, Register b) {
    return make([&](u32 k) { return (k & 1 ? b : a).v[k / 16 * 16 + k % 16 / 2]; });
  }
  /// The same for the second half.
  static inline Register zip_high(Register a, Register b) {
    return make([&](u32 k) { return (k & 1 ? b : a).v[k / 16 * 16 + 8 + k % 16 / 2]; });
  }
  static inline Register add(Register a, Register b) {
    return make([&](u32 k) { return a.v[k] + b.v[k]; });
  }
  static inline Register subtract(Register a, Register b) {
    return make([&](u32 k) { return a.v[k] - b.v[k]; });
  }
  /// The bitwise AND of a and b.
  static inline Register both(Register a, Register b) {
    return make([&](u32 k) { return a.v[k] & b.v[k]; });
  }
  /// The larger of each pair.
  static inline Register larger(Register a, Register b) {
    return make([&](u32 k) { return a.v[k] > b.v[k] ? a.v[k] : b.v[k]; });
  }
  static inline Mask equal(Register a, Register b) {
    return ballot([&](u32 k) { return a.v[k] == b.v[k]; });
  }
  static inline Mask greater(Register a, Register b) {
    return ballot([&](u32 k) { return a.v[k] > b.v[k]; });
  }
  /// a if the mask has a bit, else b.
  static inline Register select(Mask m, Register a, Register b) {
    return make([&](u32 k) { return m >> k & 1 ? a.v[k] : b.v[k]; });
  }
  /// next if left > j, else state.
  static inline Register step_if_more(Register left, u8 j, Register next, Register state) {
    return make([&](u32 k) { return left.v[k] > j ? next.v[k] : state.v[k]; });
  }

  /// end - at, at most 255. Here and below the arrays hold one number for each lane.
  static inline Register remaining(const u32* at, const u32* end) {
    return make([&](u32 k) { return end[k] - at[k] < 255 ? end[k] - at[k] : 255; });
  }
  /// at + 16, at most end.
  static inline void advance(u32* at, const u32* end) {
    for (u32 k = 0; k < lanes; k++) at[k] += end[k] - at[k] < 16 ? end[k] - at[k] : 16;
  }
  /// The i-th lane of m gets from[i] - base.
  template <class Offset>
  static inline void expand(u32* to, Mask m, const Offset* from, Offset base) {
    for (; m; m &= m - 1) to[__builtin_ctzll(m)] = u32(*from++ - base);
  }
  /// The i-th lane of m gets first + i.
  static inline void expand_numbers(u32* to, Mask m, u32 first) {
    for (; m; m &= m - 1) to[__builtin_ctzll(m)] = first++;
  }
};

/// table[index] for each byte of `index`.
struct Lookup {
  const u8* table;
  Register operator()(Register index) const {
    return Register::make([&](u32 k) { return table[index.v[k]]; });
  }
};

/// The next state after a byte of a class; see PackedTable.
struct Next {
  const PackedTable& table;
  explicit Next(const PackedTable& t) : table(t) {}
  Register operator()(Register state, Register cls) const {
    return Register::make([&](u32 k) {
      const u32 half = table.has_halves && cls.v[k] >= PackedTable::kSecondHalf ? 256 : 0;
      return table.next[half + u8(state.v[k] + cls.v[k])];
    });
  }
};

struct Classes : Lookup {
  explicit Classes(const PackedTable& t) : Lookup{t.class_of} {}
};

/// The kinds of each byte; other registers may look up its nibbles, see KindTable. This one does.
struct Kinds {
  const KindTable& table;
  explicit Kinds(const KindTable& t) : table(t) {}
  Register operator()(Register bytes) const {
    return Register::make(
        [&](u32 k) { return table.of_low[bytes.v[k] % 16] & table.of_high[bytes.v[k] / 16]; });
  }
};

}  // namespace lanewise::lanes::emulated
