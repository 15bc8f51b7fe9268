#pragma once

#include "exec/device/cells-inl.h"

/// Keys of groups as slots hold them: equal keys have equal bits. `first` is the first word of the key that
/// `held` is, read before.
namespace lanewise::kernel {

/// By the golden ratio: in the high bits of the result neighbouring numbers lie far apart.
LANES_FN u64 mix(u64 hash, u64 bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}
/// All bits of the result depend on all of `hash`.
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

/// The bytes of a text, 8 at a time: on devices each word in memory is read once.
class TextReader {
 public:
  explicit LANES_FN TextReader(const u8* at) {
#if defined(__CUDACC__)
    const u64 address = reinterpret_cast<u64>(at);
    skip_ = u32(address & 7) * 8;
    words_ = reinterpret_cast<const u64*>(address & ~u64(7));
    if (skip_) held_ = *words_++;
#else
    at_ = at;
#endif
  }
  /// The next `count` bytes, at most 8, as the low ones of a number; all but the last call take 8.
  LANES_FN u64 next(u64 count) {
#if defined(__CUDACC__)
    u64 bits;
    if (skip_ == 0) {
      bits = *words_++;
    } else {
      bits = held_ >> skip_;
      if (skip_ + count * 8 > 64) {
        held_ = *words_++;
        bits |= held_ << (64 - skip_);
      }
    }
    return count == 8 ? bits : bits & ((u64(1) << 8 * count) - 1);
#else
    const u64 bits = bytes_at(at_, count);
    at_ += count;
    return bits;
#endif
  }

 private:
#if defined(__CUDACC__)
  const u64* words_;
  u32 skip_;
  u64 held_ = 0;
#else
  const u8* at_;
#endif
};

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
  LANES_FN const u64& first() const { return bits; }
  template <bool kShared>
  LANES_FN bool same(u64 first, const Key&) const {
    return first == bits;
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
  LANES_FN const u64& first() const { return low; }
  template <bool kShared>
  LANES_FN bool same(u64 first, const Key& held) const {
    return first == low && read<kShared>(held.high) == high;
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
  LANES_FN const u64& first() const { return head; }
  template <bool kShared>
  LANES_FN bool same(u64 first, const Key& held) const {
    if (first != head) return false;
    const u64 other = read<kShared>(held.rest);
    if (other == rest) return true;
    if ((head & 0xffffffff) <= kInside) return false;
    TextReader a(reinterpret_cast<const u8*>(rest)), b(reinterpret_cast<const u8*>(other));
    for (u64 left = head & 0xffffffff; left;) {
      const u64 step = left < 8 ? left : 8;
      if (a.next(step) != b.next(step)) return false;
      left -= step;
    }
    return true;
  }
  LANES_FN u64 hash(u64 before) const {
    const u64 size = head & 0xffffffff;
    u64 hash = mix(before, head);
    if (size <= kInside) return mix(hash, rest);
    TextReader text(reinterpret_cast<const u8*>(rest));
    for (u64 left = size; left;) {
      const u64 step = left < 8 ? left : 8;
      hash = mix(hash, text.next(step));
      left -= step;
    }
    return hash;
  }
};

}  // namespace lanewise::kernel
