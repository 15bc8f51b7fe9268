#pragma once

// Include on aarch64 only, whose every core has these instructions.

#include <arm_neon.h>

#include "lanes/lane.h"
#include "lanes/tables/kind_table.h"
#include "lanes/tables/packed_table.h"

namespace lanewise::lanes::neon {

/// 64 bytes in four registers. The operations are defined in register_emulated-inl.h.
struct Register {
  static constexpr u32 lanes = 64;
  using Mask = u64;
  uint8x16_t v[4];

  /// Register i is f(i).
  template <class F>
  static LANES_FN Register make(F f) {
    return {{f(0), f(1), f(2), f(3)}};
  }

  static LANES_FN Register load(const u8* from) {
    return make([&](u32 i) { return vld1q_u8(from + 16 * i); });
  }
  LANES_FN void store(u8* to) const { LANES_UNROLL for (u32 i = 0; i < 4; i++) vst1q_u8(to + 16 * i, v[i]); }
  static LANES_FN Register splat(u8 value) {
    return make([&](u32) { return vdupq_n_u8(value); });
  }
  static LANES_FN Register pieces(const u8* bytes, const u32* at) {
    return make([&](u32 i) { return vld1q_u8(bytes + at[16 * i]); });
  }

  static LANES_FN Register zip_low(Register a, Register b) {
    return make([&](u32 i) { return vzip1q_u8(a.v[i], b.v[i]); });
  }
  static LANES_FN Register zip_high(Register a, Register b) {
    return make([&](u32 i) { return vzip2q_u8(a.v[i], b.v[i]); });
  }
  static LANES_FN Register add(Register a, Register b) {
    return make([&](u32 i) { return vaddq_u8(a.v[i], b.v[i]); });
  }
  static LANES_FN Register subtract(Register a, Register b) {
    return make([&](u32 i) { return vsubq_u8(a.v[i], b.v[i]); });
  }
  static LANES_FN Register both(Register a, Register b) {
    return make([&](u32 i) { return vandq_u8(a.v[i], b.v[i]); });
  }
  static LANES_FN Register larger(Register a, Register b) {
    return make([&](u32 i) { return vmaxq_u8(a.v[i], b.v[i]); });
  }
  static LANES_FN Mask equal(Register a, Register b) {
    return bits(make([&](u32 i) { return vceqq_u8(a.v[i], b.v[i]); }));
  }
  static LANES_FN Mask greater(Register a, Register b) {
    return bits(make([&](u32 i) { return vcgtq_u8(a.v[i], b.v[i]); }));
  }
  static LANES_FN Register select(Mask m, Register a, Register b) {
    return make([&](u32 i) {
      const uint8x16_t spread = vcombine_u8(vdup_n_u8(u8(m >> 16 * i)), vdup_n_u8(u8(m >> (16 * i + 8))));
      return vbslq_u8(vtstq_u8(spread, bit_of_lane()), a.v[i], b.v[i]);
    });
  }
  static LANES_FN Register step_if_more(Register left, u8 j, Register next, Register state) {
    return make([&](u32 i) { return vbslq_u8(vcgtq_u8(left.v[i], vdupq_n_u8(j)), next.v[i], state.v[i]); });
  }

  static LANES_FN Register remaining(const u32* at, const u32* end) {
    return make([&](u32 i) {
      const uint16x8_t low = narrow(at + 16 * i, end + 16 * i),
                       high = narrow(at + 16 * i + 8, end + 16 * i + 8);
      return vqmovn_high_u16(vqmovn_u16(low), high);
    });
  }
  static LANES_FN void advance(u32* at, const u32* end) {
    LANES_UNROLL for (u32 i = 0; i < lanes; i += 4) {
      const uint32x4_t step = vminq_u32(left_of(at + i, end + i), vdupq_n_u32(16));
      vst1q_u32(at + i, vaddq_u32(vld1q_u32(at + i), step));
    }
  }

  template <class Offset>
  static LANES_FN void expand(u32* to, Mask m, const Offset* from, Offset base) {
    for (; m; m &= m - 1) to[__builtin_ctzll(m)] = u32(*from++ - base);
  }
  static LANES_FN void expand_numbers(u32* to, Mask m, u32 first) {
    for (; m; m &= m - 1) to[__builtin_ctzll(m)] = first++;
  }

 private:
  static LANES_FN uint8x16_t bit_of_lane() { return vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)); }
  /// One bit of each byte, which is 0 or 0xff: adjacent bytes are added three times, until a byte holds
  /// eight.
  static LANES_FN Mask bits(Register r) {
    r = make([&](u32 i) { return vandq_u8(r.v[i], bit_of_lane()); });
    const uint8x16_t pairs = vpaddq_u8(vpaddq_u8(r.v[0], r.v[1]), vpaddq_u8(r.v[2], r.v[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
  }
  static LANES_FN uint32x4_t left_of(const u32* at, const u32* end) {
    return vsubq_u32(vld1q_u32(end), vld1q_u32(at));
  }
  /// The remaining bytes of 8 lanes, at most 65,535.
  static LANES_FN uint16x8_t narrow(const u32* at, const u32* end) {
    return vqmovn_high_u32(vqmovn_u32(left_of(at, end)), left_of(at + 4, end + 4));
  }
};

/// table[index] for each byte of `index`, `otherwise` if the index is kSize or more: tables of 64 bytes.
template <u32 kSize>
struct Lookup {
  uint8x16x4_t t[kSize / 64];
  Register otherwise;

  LANES_FN Lookup(const u8* table, u8 otherwise_value) : otherwise(Register::splat(otherwise_value)) {
    LANES_UNROLL for (u32 i = 0; i < kSize / 64; i++) {
      LANES_UNROLL for (u32 k = 0; k < 4; k++) t[i].val[k] = vld1q_u8(table + 64 * i + 16 * k);
    }
  }
  LANES_FN Register operator()(Register index) const {
    return Register::make([&](u32 k) {
      uint8x16_t found = otherwise.v[k];
      LANES_UNROLL for (u32 i = 0; i < kSize / 64; i++) {
        found = vqtbx4q_u8(found, t[i], vsubq_u8(index.v[k], vdupq_n_u8(u8(64 * i))));
      }
      return found;
    });
  }
};

/// The next state after a class, in a table of kSize entries.
template <u32 kSize>
struct Next {
  Lookup<kSize> table;
  explicit LANES_FN Next(const PackedTable& t) : table(t.next, 0) {}
  LANES_FN Register operator()(Register state, Register cls) const {
    return table(Register::add(state, cls));
  }
};

/// The same for a table of two halves.
template <>
struct Next<512> {
  Lookup<256> first, second;
  explicit LANES_FN Next(const PackedTable& t) : first(t.next, 0), second(t.next + 256, 0) {}
  LANES_FN Register operator()(Register state, Register cls) const {
    const Register index = Register::add(state, cls), low = first(index), high = second(index);
    return Register::make([&](u32 i) {
      const uint8x16_t in_second = vcgeq_u8(cls.v[i], vdupq_n_u8(PackedTable::kSecondHalf));
      return vbslq_u8(in_second, high.v[i], low.v[i]);
    });
  }
};

/// Any map of bytes to classes.
struct Classes : Lookup<256> {
  explicit LANES_FN Classes(const PackedTable& table) : Lookup<256>(table.class_of, 0) {}
};

/// Maps of bytes to classes in which all bytes >= 0x80 have one class.
struct LowClasses : Lookup<128> {
  explicit LANES_FN LowClasses(const PackedTable& table) : Lookup<128>(table.class_of, table.class_of[128]) {}
};

/// The kinds that both nibbles of a byte have.
struct Kinds {
  uint8x16_t of_low, of_high;
  explicit LANES_FN Kinds(const KindTable& table)
      : of_low(vld1q_u8(table.of_low)), of_high(vld1q_u8(table.of_high)) {}
  LANES_FN Register operator()(Register bytes) const {
    return Register::make([&](u32 i) {
      const uint8x16_t low = vqtbl1q_u8(of_low, vandq_u8(bytes.v[i], vdupq_n_u8(15)));
      return vandq_u8(low, vqtbl1q_u8(of_high, vshrq_n_u8(bytes.v[i], 4)));
    });
  }
};

}  // namespace lanewise::lanes::neon
