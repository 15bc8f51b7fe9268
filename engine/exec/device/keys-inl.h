#pragma once

#include "exec/device/cells-inl.h"

/// Keys of groups as slots hold them: equal keys have equal bits.
namespace lanewise::kernel {

LANES_FN u64 mix(u64 hash, u64 bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}
/// Its low bits are a place, its high ones a tag.
LANES_FN u64 last_mix(u64 hash) { return mix(hash * 0xd6e8feb86659fd93, 0); }

/// `count` bytes (at most 8) as the low ones of a number. On devices it reads the words of 8 bytes that hold
/// them.
LANES_FN u64 bytes_at(const u8* at, u64 count) {
  if (count == 0) return 0;
  u64 bits = 0;
#if defined(__CUDACC__)
  const u64 address = reinterpret_cast<u64>(at);
  const u32 skip = u32(address & 7) * 8;
  const u64* const words = reinterpret_cast<const u64*>(address & ~u64(7));
  bits = words[0] >> skip;
  if (skip + count * 8 > 64) bits |= words[1] << (64 - skip);
#else
  for (u64 i = 0; i < count; i++) bits |= u64(at[i]) << 8 * i;
#endif
  return count == 8 ? bits : bits & ((u64(1) << 8 * count) - 1);
}

/// Numbers of up to 64 bits.
template <class T, bool kWide = (sizeof(T) > 8)>
struct Key {
  u64 bits;

  LANES_FN void set(T value) {
    if constexpr (is_float<T>) {
      bits = bits_of(value != value ? real(0x7ff8000000000000) : value == T(0) ? 0.0 : f64(value));
    } else {
      bits = u64(value);
    }
  }
  LANES_FN T get() const {
    if constexpr (is_float<T>) {
      return T(real(bits));
    } else {
      return T(bits);
    }
  }
  template <bool kShared>
  LANES_FN bool same(const Key& held) const {
    return read<kShared>(held.bits) == bits;
  }
  LANES_FN u64 hash(u64 before) const { return mix(before, bits); }
};

template <class T>
struct Key<T, true> {
  u64 low, high;

  LANES_FN void set(T value) {
    low = u64(value);
    high = u64(u128(value) >> 64);
  }
  LANES_FN T get() const { return T(whole(high, low)); }
  template <bool kShared>
  LANES_FN bool same(const Key& held) const {
    return read<kShared>(held.low) == low && read<kShared>(held.high) == high;
  }
  LANES_FN u64 hash(u64 before) const { return mix(mix(before, low), high); }
};

/// A string: its size, its first 4 bytes, and its next 8 ones or, where it is longer, its place.
template <>
struct Key<Text, true> {
  static constexpr u32 kInside = 12;
  u64 head, rest;

  LANES_FN void set(Text text) {
    head = (text.size & 0xffffffff) | bytes_at(text.at, text.size < 4 ? text.size : 4) << 32;
    if (text.size > kInside) {
      rest = reinterpret_cast<u64>(text.at);
    } else {
      rest = text.size > 4 ? bytes_at(text.at + 4, text.size - 4) : 0;
    }
  }
  /// Of short strings the bytes are those in the key: it must stay where it is.
  LANES_FN Text get() const {
    const u64 size = head & 0xffffffff;
    if (size > kInside) return {reinterpret_cast<const u8*>(rest), size};
    return {reinterpret_cast<const u8*>(&head) + 4, size};
  }
  template <bool kShared>
  LANES_FN bool same(const Key& held) const {
    if (read<kShared>(held.head) != head) return false;
    const u64 other = read<kShared>(held.rest);
    if (other == rest) return true;
    if ((head & 0xffffffff) <= kInside) return false;
    const u8 *a = reinterpret_cast<const u8*>(rest), *b = reinterpret_cast<const u8*>(other);
    for (u64 left = head & 0xffffffff; left;) {
      const u64 step = left < 8 ? left : 8;
      if (bytes_at(a, step) != bytes_at(b, step)) return false;
      a += step, b += step, left -= step;
    }
    return true;
  }
  LANES_FN u64 hash(u64 before) const {
    const u64 size = head & 0xffffffff;
    u64 hash = mix(before, head);
    if (size <= kInside) return mix(hash, rest);
    const u8* const text = reinterpret_cast<const u8*>(rest);
    for (u64 at = 4; at < size; at += 8) hash = mix(hash, bytes_at(text + at, size - at < 8 ? size - at : 8));
    return hash;
  }
};

}  // namespace lanewise::kernel
