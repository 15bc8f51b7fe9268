#pragma once

#include "expr/gpu/bytes-inl.h"
#include "expr/gpu/compare-inl.h"

/// Cells: aggregate states in the slot of a group, after its keys; each is a multiple of 8 bytes. All zeros
/// are the state of no rows, set() stores that of one value, and merge() adds another cell; many threads may
/// call it at once. With `kShared` the cell that is changed is in shared memory, where hardware adds 32 bits
/// at a time; otherwise in device memory. It is a template parameter, as generic addresses cost many
/// instructions. On the host, for tests, there is only one thread.
namespace lanewise::kernel {

#if defined(__CUDA_ARCH__)
/// Accesses to device memory through pointers that the compiler takes for generic addresses.
LANES_FN void read_pair_of_device(const void* at, u64& a, u64& b) {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
  asm volatile("{ .reg .b128 pair; ld.relaxed.gpu.global.b128 pair, [%2]; mov.b128 {%0, %1}, pair; }"
               : "=l"(a), "=l"(b)
               : "l"(at)
               : "memory");
#else  // without b128 in the assembler; GPUs still load both words at once
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(at) : "memory");
#endif
}
LANES_FN u64 add_on_device(u64& at, u64 value) {
  u64 before;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(&at), "l"(value) : "memory");
  return before;
}
LANES_FN void add_on_device(f64& at, f64 value) {
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(&at), "d"(value) : "memory");
}
LANES_FN void raise_on_device(u64& at, u64 value) {
  asm volatile("red.global.max.u64 [%0], %1;" ::"l"(&at), "l"(value) : "memory");
}
#elif defined(__CUDACC__)  // emulated
LANES_FN void read_pair_of_device(const void* at, u64& a, u64& b) {
  a = static_cast<const volatile u64*>(at)[0];
  b = static_cast<const volatile u64*>(at)[1];
}
LANES_FN u64 add_on_device(u64& at, u64 value) { return atomicAdd(&at, value); }
LANES_FN void add_on_device(f64& at, f64 value) { atomicAdd(&at, value); }
LANES_FN void raise_on_device(u64& at, u64 value) { atomicMax(&at, value); }
#endif

#if defined(__CUDACC__)
template <bool kShared>
LANES_FN u32 read(const u32& at) {
  return *const_cast<const volatile u32*>(&at);
}
template <bool kShared>
LANES_FN u64 read(const u64& at) {
  return *const_cast<const volatile u64*>(&at);
}
/// Reads two words. In device memory they begin at a multiple of 16 bytes and are read atomically: the second
/// is not older than the first.
template <bool kShared>
LANES_FN void read_pair(const void* at, u64& a, u64& b) {
  if constexpr (kShared) {
    a = static_cast<const volatile u64*>(at)[0];
    b = static_cast<const volatile u64*>(at)[1];
  } else {
    read_pair_of_device(at, a, b);
  }
}
// Each adds to a number and returns the carry: 1 if it overflowed.
LANES_FN u32 add_half(u32& at, u32 value) { return atomicAdd(&at, value) + value < value; }
template <bool kShared>
LANES_FN u32 add_word(u64& at, u64 value) {
  if constexpr (kShared) {
    u32* const halves = reinterpret_cast<u32*>(&at);
    const u32 low = u32(value), carry = add_half(halves[0], low);
    const u32 high = u32(value >> 32) + carry;
    const u32 wrapped = high < carry;
    return wrapped + (high ? add_half(halves[1], high) : 0);
  } else {
    return add_on_device(at, value) + value < value;
  }
}
LANES_FN void add_count(u32& at, u32 value) { atomicAdd(&at, value); }
/// Whether `is` is true in any of the warp's `lanes`. All of them must call it.
LANES_FN bool any_of(u32 lanes, bool is) { return __any_sync(lanes, is); }
template <bool kShared>
LANES_FN void add_real(f64& at, f64 value) {
  if constexpr (kShared) {
    atomicAdd(&at, value);
  } else {
    add_on_device(at, value);
  }
}
template <bool kShared>
LANES_FN void raise_to(u64& at, u64 value) {
  if constexpr (kShared) {
    atomicMax(reinterpret_cast<unsigned long long*>(&at), value);
  } else {
    raise_on_device(at, value);
  }
}
LANES_FN u32 exchange_if(u32& at, u32 expected, u32 value) { return atomicCAS(&at, expected, value); }
/// Writes a word that other threads may read at the same time, but use only after publish(). In shared memory
/// it is an atomic exchange, since race detectors understand atomics but not fences.
template <bool kShared>
LANES_FN void write(u32& at, u32 value) {
  if constexpr (kShared) {
    atomicExch(&at, value);
  } else {
    *const_cast<volatile u32*>(&at) = value;
  }
}
template <bool kShared>
LANES_FN void write(u64& at, u64 value) {
  if constexpr (kShared) {
    atomicExch(reinterpret_cast<unsigned long long*>(&at), value);
  } else {
    *const_cast<volatile u64*>(&at) = value;
  }
}
/// Orders this thread's earlier writes before its later ones, and its earlier reads before its later ones.
template <bool kShared>
LANES_FN void fence() {
  kShared ? __threadfence_block() : __threadfence();
}
/// Writes `value`; threads that read it also see this thread's earlier writes.
template <bool kShared>
LANES_FN void publish(u32& at, u32 value) {
  fence<kShared>();
  write<kShared>(at, value);
}
/// Tries to acquire the lock. On success, earlier holders' writes are visible. publish(at, 0) releases it.
template <bool kShared>
LANES_FN bool hold(u32& at) {
  if (exchange_if(at, 0, 1)) return false;
  fence<kShared>();
  return true;
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
LANES_FN bool any_of(u32 /*lanes*/, bool is) { return is; }
template <bool kShared>
LANES_FN void add_real(f64& at, f64 value) {
  at += value;
}
template <bool kShared>
LANES_FN void raise_to(u64& at, u64 value) {
  at = at < value ? value : at;
}
LANES_FN u32 exchange_if(u32& at, u32 expected, u32 value) {
  const u32 before = at;
  if (before == expected) at = value;
  return before;
}
template <bool kShared>
LANES_FN void write(u32& at, u32 value) {
  at = value;
}
template <bool kShared>
LANES_FN void write(u64& at, u64 value) {
  at = value;
}
template <bool kShared>
LANES_FN void fence() {}
template <bool kShared>
LANES_FN void publish(u32& at, u32 value) {
  at = value;
}
template <bool kShared>
LANES_FN bool hold(u32& at) {
  return exchange_if(at, 0, 1) == 0;
}
#endif

/// Counts the rows of a group, or those whose value is not NULL.
struct CountCell {
  u32 count;
  u32 unused;

  LANES_FN void set() { count = 1; }
  template <bool kShared>
  LANES_FN void merge(const CountCell& other) {
    if (other.count) add_count(count, other.count);
  }
};

/// Exact sums of integers in two's complement, with enough words that fewer than 2^32 values cannot overflow.
template <class T, u32 kWords = sizeof(T) <= 4   ? 1
                                : sizeof(T) == 8 ? 2
                                                 : 3>
struct SumCell {
  u64 words[kWords];

  LANES_FN void set(T value) {
    const u128 bits = u128(i128(value));
    const u64 sign = is_signed<T> && value < T(0) ? ~u64(0) : 0;
    const u64 parts[3] = {u64(bits), u64(bits >> 64), sign};
    for (u32 i = 0; i < kWords; i++) words[i] = parts[i];
  }
  template <bool kShared>
  LANES_FN void merge(const SumCell& other) {
    u32 carry = 0;
    for (u32 i = 0; i < kWords; i++) {
      const u64 part = other.words[i] + carry;  // if the carry makes it zero, it passes the carry on
      const u32 wrapped = part < carry;
      carry = wrapped + (part ? add_word<kShared>(words[i], part) : 0);
    }
  }
  LANES_FN i128 get() const {
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
};

struct RealCell {
  f64 sum;

  LANES_FN void set(f64 value) { sum = value; }
  template <bool kShared>
  LANES_FN void merge(const RealCell& other) {
    if (other.sum != 0) add_real<kShared>(sum, other.sum);
  }
  LANES_FN f64 get() const { return sum; }
};

inline constexpr u64 kTopBit = u64(1) << 63;

/// Maps values to unsigned numbers in the same order: -0.0 before 0.0, and all NaNs equal and greatest.
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

/// max, or min if kMost is false; unspecified for a group without rows.
template <class T, bool kMost, bool kWide = (sizeof(T) > 8)>
struct ExtremeCell {
  u64 best;  // a rank; for min, its complement

  LANES_FN void set(T value) { best = kMost ? rank_of(value) : ~rank_of(value); }
  template <bool kShared>
  LANES_FN void merge(const ExtremeCell& other) {
    if (read<kShared>(best) < other.best) raise_to<kShared>(best, other.best);
  }
  LANES_FN T get() const { return of_rank<T>(kMost ? best : ~best); }
};

/// Cell for 128-bit values. Not all devices have atomic operations for them; updates are serialised.
template <class T, bool kMost>
struct ExtremeCell<T, kMost, true> {
  u64 low, high;  // a rank; for min, its complement
  u32 held;
  u32 unused;

  LANES_FN void set(T value) {
    const u128 rank = u128(value) ^ (is_signed<T> ? u128(1) << 127 : 0);
    low = u64(kMost ? rank : ~rank);
    high = u64((kMost ? rank : ~rank) >> 64);
  }
  template <bool kShared>
  LANES_FN void merge(const ExtremeCell& other) {
    const u128 rank = u128(whole(other.high, other.low));
    if (rank == 0) return;
    for (bool done = false; !done;) {
      if (!hold<kShared>(held)) continue;
      if (u128(whole(read<kShared>(high), read<kShared>(low))) < rank) {
        write<kShared>(low, other.low);
        write<kShared>(high, other.high);
      }
      publish<kShared>(held, 0);
      done = true;
    }
  }
  LANES_FN T get() const {
    const u128 best = u128(whole(high, low));
    return T((kMost ? best : ~best) ^ (is_signed<T> ? u128(1) << 127 : 0));
  }
};

/// Cell for strings, stored as addresses; updates are serialised. The first eight bytes are compared before.
template <bool kMost>
struct ExtremeCell<Text, kMost, true> {
  u64 at, size;  // of the best string
  u64 bound;     // its first word; for min, the complement. Strings with a smaller one are not better
  u32 held;
  u32 there;

  LANES_FN void set(Text value) {
    at = reinterpret_cast<u64>(value.at);
    size = value.size;
    bound = text_word<!kMost>(value, 0);
    there = 1;
  }
  template <bool kShared>
  LANES_FN void merge(const ExtremeCell& other) {
    if (!other.there || other.bound < read<kShared>(bound)) return;
    for (bool done = false; !done;) {
      if (!hold<kShared>(held)) continue;
      const Text best = {reinterpret_cast<const u8*>(read<kShared>(at)), read<kShared>(size)};
      if (!read<kShared>(there) || (kMost ? below(best, other.get()) : below(other.get(), best))) {
        write<kShared>(at, other.at);
        write<kShared>(size, other.size);
        write<kShared>(bound, other.bound);
        write<kShared>(there, 1);
      }
      publish<kShared>(held, 0);
      done = true;
    }
  }
  LANES_FN Text get() const { return {reinterpret_cast<const u8*>(at), size}; }
};

}  // namespace lanewise::kernel
