#pragma once

#include "codegen/cells-inl.h"
#include "expr/gpu/bytes-inl.h"

/// Keys of groups as slots store them: equal keys have equal bits. In same(), `first` is the first word of
/// the key `held`, which was read before. Bytes of long strings are compared and hashed separately: that code
/// is compiled once, for any number of string keys.
namespace lanewise::kernel {

#ifdef LANEWISE_EQUAL_HASHES
constexpr u64 kGoldenRatio = 0;  // all hashes are 0
#else
constexpr u64 kGoldenRatio = 0x9e3779b97f4a7c15;
#endif

/// Multiplies by the golden ratio, which spreads neighbouring numbers over the result's high bits.
LANES_FN u64 mix(u64 hash, u64 bits) {
  hash = (hash ^ bits) * kGoldenRatio;
  return hash ^ hash >> 32;
}
/// All bits of the result depend on all of `hash`.
LANES_FN u64 last_mix(u64 hash) { return mix(hash * 0xd6e8feb86659fd93, 0); }

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
  /// Stores the key; other threads may compare with it once it is published.
  template <bool kShared>
  LANES_FN void take(const Key& from) {
    write<kShared>(bits, from.bits);
  }
  template <bool kShared>
  LANES_FN bool same(u64 first, const Key&) const {
    return first == bits;
  }
  LANES_FN u64 hash(u64 before) const { return mix(before, bits); }
};

/// A Key that distinguishes -0.0 from 0.0, for keys whose values are the result.
template <class T>
struct ExactKey : Key<T> {
  LANES_FN void set(T value) {
    Key<T>::set(value);
    if constexpr (is_float<T>) {
      if (value == T(0)) this->bits = bits_of(f64(value));
    }
  }
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
  LANES_FN void take(const Key& from) {
    write<kShared>(low, from.low);
    write<kShared>(high, from.high);
  }
  template <bool kShared>
  LANES_FN bool same(u64 first, const Key& held) const {
    return first == low && read<kShared>(held.high) == high;
  }
  LANES_FN u64 hash(u64 before) const { return mix(mix(before, low), high); }
};

/// A normalised interval. Equal intervals may look different, so a group shows that of one of its rows.
template <>
struct Key<Interval, true> : Key<i128> {
  LANES_FN void set(Interval value) {
    const NormalInterval normal = normalised(value);
    low = u64(normal.micros);
    high = u64(normal.months) << 8 | u8(normal.days);
  }
};

/// The hash of a string of any size.
LANES_FN u64 hash_of(u64 before, const u8* at, u64 size) {
  using Part = TextWords<4>;
  u64 hash = before;
  for (u64 left = size; left;) {
    const Part part(at, left);
    for (u32 i = 0; i < Part::kSize / 8; i++) hash = mix(hash, part[i]);
    at += Part::kSize;
    left -= left < Part::kSize ? left : Part::kSize;
  }
  return hash;
}
/// Whether two strings of the same size have the same bytes.
LANES_FN bool same_bytes(const u8* a, const u8* b, u64 size) {
  using Part = TextWords<4>;
  for (u64 left = size; left;) {
    if (!(Part(a, left) == Part(b, left))) return false;
    a += Part::kSize;
    b += Part::kSize;
    left -= left < Part::kSize ? left : Part::kSize;
  }
  return true;
}

/// A string: its size, its first 4 bytes, then its next 8 bytes or, if it is longer, its address.
template <>
struct Key<Text, true> {
  static constexpr u32 kInside = 12;
  u64 head, rest;

  LANES_FN void set(Text text) {
    const TextWords<2> first(text.at, text.size < kInside ? text.size : kInside);
    head = (text.size & 0xffffffff) | first[0] << 32;
    rest = text.size > kInside ? reinterpret_cast<u64>(text.at) : first[0] >> 32 | first[1] << 32;
  }
  LANES_FN u64 size() const { return head & 0xffffffff; }
  LANES_FN bool is_long() const { return size() > kInside; }
  /// Short strings point into the key, which must outlive the result.
  LANES_FN Text get() const {
    return {is_long() ? reinterpret_cast<const u8*>(rest) : reinterpret_cast<const u8*>(&head) + 4, size()};
  }
  LANES_FN const u64& first() const { return head; }
  template <bool kShared>
  LANES_FN void take(const Key& from) {
    write<kShared>(head, from.head);
    write<kShared>(rest, from.rest);
  }
  /// For long strings, call same_bytes(), too.
  template <bool kShared>
  LANES_FN bool same(u64 first, const Key& held) const {
    return first == head && (is_long() || read<kShared>(held.rest) == rest);
  }
  /// Compares the strings of two keys that have the same head.
  LANES_FN bool same_bytes(u64 held_rest) const {
    return held_rest == rest || kernel::same_bytes(reinterpret_cast<const u8*>(rest),
                                                   reinterpret_cast<const u8*>(held_rest), size());
  }
  /// Leaves out the bytes of long strings; see hash_bytes().
  LANES_FN u64 hash(u64 before) const { return mix(mix(before, head), is_long() ? 0 : rest); }
  LANES_FN u64 hash_bytes(u64 before) const {
    return is_long() ? hash_of(before, reinterpret_cast<const u8*>(rest), size()) : before;
  }
};

/// A string of a column without strings longer than Key<Text>::kInside: all bytes are in the key.
struct ShortKey {
  u64 head, rest;  // as in Key<Text>

  LANES_FN void set(Text text) {
    const TextWords<2> first(text.at, text.size);
    head = text.size | first[0] << 32;
    rest = first[0] >> 32 | first[1] << 32;
  }
  LANES_FN Text get() const { return {reinterpret_cast<const u8*>(&head) + 4, head & 0xffffffff}; }
  LANES_FN const u64& first() const { return head; }
  template <bool kShared>
  LANES_FN void take(const ShortKey& from) {
    write<kShared>(head, from.head);
    write<kShared>(rest, from.rest);
  }
  template <bool kShared>
  LANES_FN bool same(u64 first, const ShortKey& held) const {
    return first == head && read<kShared>(held.rest) == rest;
  }
  LANES_FN u64 hash(u64 before) const { return mix(mix(before, head), rest); }
};

}  // namespace lanewise::kernel
