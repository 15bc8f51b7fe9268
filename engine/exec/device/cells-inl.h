#pragma once

#include "exec/device/bytes-inl.h"
#include "expr/device/compare-inl.h"

/// What a group's slot holds: keys, and cells, which take values from many threads at once. Made of zeros a
/// cell is that of no rows; all are multiples of 8 bytes. With `kShared` the cell lies in shared memory,
/// where hardware adds 32 bits at a time; else in device memory. On the host, for tests, one thread does it
/// all.
namespace lanewise::kernel {

#if defined(__CUDACC__)
template <bool kShared>
LANES_FN u32 read(const u32& at) {
  return *const_cast<const volatile u32*>(&at);
}
template <bool kShared>
LANES_FN u64 read(const u64& at) {
  return *const_cast<const volatile u64*>(&at);
}
/// Two words; in device memory, where they begin at a multiple of 16 bytes, at once.
template <bool kShared>
LANES_FN void read_pair(const void* at, u64& a, u64& b) {
  if constexpr (kShared) {
    a = static_cast<const volatile u64*>(at)[0];
    b = static_cast<const volatile u64*>(at)[1];
  } else {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(at) : "memory");
  }
}
/// Adds to a number; gives 1 where it overflowed.
template <bool kShared>
LANES_FN u32 add_word(u64& at, u64 value) {
  if constexpr (kShared) {
    u32* const halves = reinterpret_cast<u32*>(&at);
    const u32 low = u32(value);
    const u64 high = (value >> 32) + (low && atomicAdd(halves, low) + low < low);
    const u32 rest = u32(high);
    return u32(high >> 32) + (rest && atomicAdd(halves + 1, rest) + rest < rest);
  } else {
    return atomicAdd(reinterpret_cast<unsigned long long*>(&at), value) + value < value;
  }
}
LANES_FN void add_count(u32& at, u32 value) { atomicAdd(&at, value); }
LANES_FN void add_real(f64& at, f64 value) { atomicAdd(&at, value); }
LANES_FN void raise_to(u64& at, u64 value) { atomicMax(reinterpret_cast<unsigned long long*>(&at), value); }
LANES_FN u32 exchange_if(u32& at, u32 expected, u32 value) { return atomicCAS(&at, expected, value); }
/// What this thread wrote before is seen by whoever sees `value`.
template <bool kShared>
LANES_FN void publish(u32& at, u32 value) {
  kShared ? __threadfence_block() : __threadfence();
  *const_cast<volatile u32*>(&at) = value;
}
#else
template <bool kShared>
LANES_FN u32 read(const u32& at) {
  return at;
}
template <bool kShared>
LANES_FN u64 read(const u64& at) {
  return at;
}
template <bool kShared>
LANES_FN void read_pair(const void* at, u64& a, u64& b) {
  __builtin_memcpy(&a, at, 8);
  __builtin_memcpy(&b, static_cast<const u8*>(at) + 8, 8);
}
template <bool kShared>
LANES_FN u32 add_word(u64& at, u64 value) {
  at += value;
  return at < value;
}
LANES_FN void add_count(u32& at, u32 value) { at += value; }
LANES_FN void add_real(f64& at, f64 value) { at += value; }
LANES_FN void raise_to(u64& at, u64 value) { at = at < value ? value : at; }
LANES_FN u32 exchange_if(u32& at, u32 expected, u32 value) {
  const u32 before = at;
  if (before == expected) at = value;
  return before;
}
template <bool kShared>
LANES_FN void publish(u32& at, u32 value) {
  at = value;
}
#endif

/// Rows of a group, or those where a value is there.
struct CountCell {
  u32 count;
  u32 unused;

  template <bool kShared>
  LANES_FN void put() {
    add_count(count, 1);
  }
  template <bool kShared>
  LANES_FN void merge(const CountCell& other) {
    if (other.count) add_count(count, other.count);
  }
};

/// Exact sums of integers as two's complement of so many words that fewer than 2^32 values cannot overflow.
template <class T, u32 kWords = sizeof(T) <= 4   ? 1
                                : sizeof(T) == 8 ? 2
                                                 : 3>
struct SumCell {
  u64 words[kWords];

  template <bool kShared>
  LANES_FN void put(T value) {
    const u128 bits = u128(i128(value));
    const u64 sign = is_signed<T> && value < T(0) ? ~u64(0) : 0;
    const u64 parts[3] = {u64(bits), u64(bits >> 64), sign};
    add<kShared>(parts);
  }
  template <bool kShared>
  LANES_FN void merge(const SumCell& other) {
    add<kShared>(other.words);
  }
  LANES_FN i128 total() const {
    if constexpr (kWords == 1) {
      return i64(words[0]);
    } else {
      return whole(words[1], words[0]);
    }
  }
  LANES_FN bool overflows() const {
    if constexpr (kWords < 3) {
      return false;
    } else {
      return words[2] != (i64(words[1]) < 0 ? ~u64(0) : 0);
    }
  }

 private:
  template <bool kShared>
  LANES_FN void add(const u64* parts) {
    u32 carry = 0;
    for (u32 i = 0; i < kWords; i++) {
      const u64 part = parts[i] + carry;  // that becomes zero by a carry hands it on
      const u32 wrapped = part < carry;
      carry = wrapped + (part ? add_word<kShared>(words[i], part) : 0);
    }
  }
};

struct RealCell {
  f64 sum;

  template <bool kShared>
  LANES_FN void put(f64 value) {
    add_real(sum, value);
  }
  template <bool kShared>
  LANES_FN void merge(const RealCell& other) {
    add_real(sum, other.sum);
  }
};

inline constexpr u64 kTopBit = u64(1) << 63;

/// Natural numbers in the order of the values: -0.0 before 0.0, all NaNs the same one above all else.
template <class T>
LANES_FN u64 rank_of(T value) {
  if constexpr (is_float<T>) {
    const u64 bits = value != value ? 0x7ff8000000000000 : bits_of(f64(value));
    return bits & kTopBit ? ~bits : bits | kTopBit;
  } else {
    return is_signed<T> ? u64(i64(value)) ^ kTopBit : u64(value);
  }
}
template <class T>
LANES_FN T of_rank(u64 rank) {
  if constexpr (is_float<T>) {
    return T(real(rank & kTopBit ? rank ^ kTopBit : ~rank));
  } else {
    return T(is_signed<T> ? rank ^ kTopBit : rank);
  }
}

/// min (kMost false) and max; of no rows unspecified.
template <class T, bool kMost, bool kWide = (sizeof(T) > 8)>
struct ExtremeCell {
  u64 best;  // a rank; of min its complement

  template <bool kShared>
  LANES_FN void put(T value) {
    raise<kShared>(kMost ? rank_of(value) : ~rank_of(value));
  }
  template <bool kShared>
  LANES_FN void merge(const ExtremeCell& other) {
    raise<kShared>(other.best);
  }
  LANES_FN T get() const { return of_rank<T>(kMost ? best : ~best); }

 private:
  template <bool kShared>
  LANES_FN void raise(u64 rank) {
    if (read<kShared>(best) < rank) raise_to(best, rank);
  }
};

/// Of 128 bits, for which there is no atomic operation everywhere: one thread at a time.
template <class T, bool kMost>
struct ExtremeCell<T, kMost, true> {
  u64 low, high;  // a rank; of min its complement
  u32 held;
  u32 unused;

  template <bool kShared>
  LANES_FN void put(T value) {
    const u128 rank = u128(value) ^ (is_signed<T> ? u128(1) << 127 : 0);
    raise<kShared>(kMost ? rank : ~rank);
  }
  template <bool kShared>
  LANES_FN void merge(const ExtremeCell& other) {
    raise<kShared>(u128(whole(other.high, other.low)));
  }
  LANES_FN T get() const {
    const u128 best = u128(whole(high, low));
    return T((kMost ? best : ~best) ^ (is_signed<T> ? u128(1) << 127 : 0));
  }

 private:
  template <bool kShared>
  LANES_FN void raise(u128 rank) {
    for (bool done = false; !done;) {
      if (exchange_if(held, 0, 1)) continue;
      if (u128(whole(read<kShared>(high), read<kShared>(low))) < rank) {
        low = u64(rank);
        high = u64(rank >> 64);
      }
      publish<kShared>(held, 0);
      done = true;
    }
  }
};

/// Of strings, by where they lie: one thread at a time, after a look at the first eight bytes.
template <bool kMost>
struct ExtremeCell<Text, kMost, true> {
  u64 at, size;  // of the best one
  u64 bound;     // its first word, of min the complement: what has less is not better
  u32 held;
  u32 there;

  template <bool kShared>
  LANES_FN void put(Text value) {
    const u64 first = text_word<!kMost>(value, 0);
    if (first < read<kShared>(bound)) return;
    for (bool done = false; !done;) {
      if (exchange_if(held, 0, 1)) continue;
      const Text best = {reinterpret_cast<const u8*>(read<kShared>(at)), read<kShared>(size)};
      if (!read<kShared>(there) || (kMost ? below(best, value) : below(value, best))) {
        at = reinterpret_cast<u64>(value.at);
        size = value.size;
        bound = first;
        there = 1;
      }
      publish<kShared>(held, 0);
      done = true;
    }
  }
  template <bool kShared>
  LANES_FN void merge(const ExtremeCell& other) {
    if (other.there) put<kShared>(other.get());
  }
  LANES_FN Text get() const { return {reinterpret_cast<const u8*>(at), size}; }
};

}  // namespace lanewise::kernel
