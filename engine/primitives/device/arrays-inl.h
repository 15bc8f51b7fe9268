#pragma once

// Freestanding: this text is compiled by NVRTC. Reduction and scan of arrays in the memory of a GPU, by any
// associative and, for the reduction, commutative operator.

#include "lanes/lane.h"

namespace lanewise::primitives {

using lanes::u32;
using lanes::u64;

constexpr u32 kArrayThreads = 256;
constexpr u32 kArrayItemBytes = 64;  // of a tile for each thread

#if defined(__CUDACC__)

#define ARRAY_UNROLL _Pragma("unroll")

/// Operators: `none` combined with any value is that value.
template <class T>
struct Sum {
  static LANES_FN T none() { return T(0); }
  LANES_FN T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct Product {
  static LANES_FN T none() { return T(1); }
  LANES_FN T operator()(T a, T b) const { return a * b; }
};
template <class T>
struct Least {
  static LANES_FN T none() { return sizeof(T) == 4 ? T(0x7fffffff) : T(0x7fffffffffffffff); }
  LANES_FN T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct Greatest {
  static LANES_FN T none() { return sizeof(T) == 4 ? T(-0x7fffffff - 1) : T(-0x7fffffffffffffff - 1); }
  LANES_FN T operator()(T a, T b) const { return b > a ? b : a; }
};
template <>
LANES_FN double Least<double>::none() {
  return __longlong_as_double(0x7ff0000000000000);
}
template <>
LANES_FN double Greatest<double>::none() {
  return __longlong_as_double(0xfff0000000000000);
}
template <class T>
struct Xor {
  static LANES_FN T none() { return T(0); }
  LANES_FN T operator()(T a, T b) const { return a ^ b; }
};

/// As many items as memory moves at once.
template <class T>
struct alignas(16) Items {
  static constexpr u32 kSize = 16 / sizeof(T);
  T at[kSize];
};

/// Inclusive over the lanes of a warp, in their order.
template <class T, class Op>
LANES_FN T scan_warp(T value, Op op) {
  ARRAY_UNROLL for (u32 step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(~0u, value, step);
    if (threadIdx.x % 32 >= step) value = op(before, value);
  }
  return value;
}

/// Of all threads; the first one knows it.
template <class T, class Op>
LANES_FN T reduce_block(T value, Op op) {
  __shared__ T of_warp[kArrayThreads / 32];
  ARRAY_UNROLL for (u32 step = 16; step != 0; step /= 2) value =
      op(value, __shfl_down_sync(~0u, value, step));
  __syncthreads();  // what was there before has been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return value;
  for (u32 warp = 1; warp < kArrayThreads / 32; ++warp) value = op(value, of_warp[warp]);
  return value;
}

/// Each block combines what it takes, the last one to end what all of them have made. `ended` is 0 before and
/// after.
template <class T, class Op>
LANES_FN void reduce(const T* from, u64 count, T* parts, u32* ended, T* to) {
  using Some = Items<T>;
  constexpr u32 kTogether = 8, kStep = kTogether * kArrayThreads;
  constexpr Op op;
  const u64 vectors = count / Some::kSize;
  const Some* const all = reinterpret_cast<const Some*>(from);
  T value = Op::none();
  for (u64 first = blockIdx.x * u64(kStep); first < vectors; first += u64(gridDim.x) * kStep) {
    Some some[kTogether];
    if (first + kStep <= vectors) {
      ARRAY_UNROLL for (u32 i = 0; i < kTogether; ++i) some[i] = all[first + i * kArrayThreads + threadIdx.x];
    } else {
      ARRAY_UNROLL for (u32 i = 0; i < kTogether; ++i) {
        const u64 v = first + i * kArrayThreads + threadIdx.x;
        ARRAY_UNROLL for (u32 j = 0; j < Some::kSize; ++j) some[i].at[j] = Op::none();
        if (v < vectors) some[i] = all[v];
      }
    }
    ARRAY_UNROLL for (u32 i = 0; i < kTogether; ++i) {
      ARRAY_UNROLL for (u32 j = 0; j < Some::kSize; ++j) value = op(value, some[i].at[j]);
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    for (u64 i = vectors * Some::kSize; i < count; ++i) value = op(value, from[i]);
  }
  value = reduce_block(value, op);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = value;
    __threadfence();
    last = atomicAdd(ended, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  value = Op::none();
  for (u32 i = threadIdx.x; i < gridDim.x; i += kArrayThreads)
    value = op(value, static_cast<volatile T*>(parts)[i]);
  value = reduce_block(value, op);
  if (threadIdx.x != 0) return;
  *to = value;
  *ended = 0;
}

/// What a tile tells those behind it: nothing yet, what it combines to, or what all up to it do. A word has
/// the state above and a half of the value, or all of it, below: it is whole whenever it is read.
template <class T>
struct Told {
  static constexpr u32 kWords = sizeof(T) / 4;
  static constexpr u32 kNothing = 0, kOwn = 1, kAll = 2;
  u32 state;
  T value;

  static LANES_FN void tell(u64* words, u64 tile, u32 state, T value) {
    u32 halves[kWords];
    memcpy(halves, &value, sizeof value);
    ARRAY_UNROLL for (u32 i = 0; i < kWords; ++i) {
      static_cast<volatile u64*>(words)[tile * kWords + i] = u64(state) << 32 | halves[i];
    }
  }
  static LANES_FN Told listen(const u64* words, u64 tile) {
    Told told{kNothing, {}};
    while (told.state == kNothing) {
      u32 halves[kWords];
      ARRAY_UNROLL for (u32 i = 0; i < kWords; ++i) {
        const u64 word = static_cast<const volatile u64*>(words)[tile * kWords + i];
        halves[i] = u32(word);
        const u32 state = u32(word >> 32);
        told.state = i == 0 || state == told.state ? state : kNothing;
      }
      memcpy(&told.value, halves, sizeof told.value);
    }
    return told;
  }
};

/// What all tiles before `tile` combine to, found by the first warp: it looks back over 32 tiles at a time
/// until one knows what is before it (Merrill, Garland, 2016).
template <class T, class Op>
LANES_FN T look_back(const u64* words, u64 tile, Op op) {
  const u32 lane = threadIdx.x % 32;
  T before = Op::none();
  for (u64 end = tile; end != 0; end -= 32) {
    Told<T> told{Told<T>::kAll, Op::none()};
    if (lane < end) told = Told<T>::listen(words, end - 1 - lane);
    const u32 whole = __ballot_sync(~0u, told.state == Told<T>::kAll);
    const u32 last = whole == 0 ? 31 : __ffs(whole) - 1;  // lanes further back are not needed
    T value = lane <= last ? told.value : Op::none();
    ARRAY_UNROLL for (u32 step = 1; step < 32; step *= 2) {
      const T further = __shfl_down_sync(~0u, value, step);
      if (lane + step < 32) value = op(further, value);
    }
    before = op(__shfl_sync(~0u, value, 0), before);
    if (whole != 0) break;
    if (end <= 32) break;
  }
  return before;
}

/// A tile for each block, in the order in which blocks begin. `words`: Told of each tile, and behind them the
/// number of tiles that have begun; all 0 before.
template <class T, class Op, bool kInclusive>
LANES_FN void scan(const T* from, u64 count, T* to, u64* words, u64 tiles) {
  using Some = Items<T>;
  constexpr u32 kSome = Some::kSize, kVectors = kArrayItemBytes / 16, kOwn = kVectors * kSome;
  constexpr u32 kWarps = kArrayThreads / 32;
  constexpr Op op;
  __shared__ Some held[kVectors * kArrayThreads];
  __shared__ T of_warp[kWarps];
  __shared__ T before_tile;
  __shared__ u32 ticket;
  const u32 thread = threadIdx.x;
  if (thread == 0) ticket = atomicAdd(reinterpret_cast<u32*>(words + tiles * Told<T>::kWords), 1);
  __syncthreads();
  const u64 tile = ticket;
  const u64 first = tile * kArrayThreads * kOwn;
  const bool full = first + kArrayThreads * kOwn <= count;
  // Vectors lie so that neither neighbours nor every fourth of them meet in a bank.
  const auto slot = [](u32 v) { return v ^ (v >> 3 & 7); };

  ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
    const u32 v = i * kArrayThreads + thread;
    Some some;
    if (full) {
      some = reinterpret_cast<const Some*>(from + first)[v];
    } else {
      ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) {
        const u64 at = first + v * kSome + j;
        some.at[j] = at < count ? from[at] : Op::none();
      }
    }
    held[slot(v)] = some;
  }
  __syncthreads();

  T own[kOwn];
  ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
    const Some some = held[slot(thread * kVectors + i)];
    ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) own[i * kSome + j] = some.at[j];
  }
  T all = own[0];
  ARRAY_UNROLL for (u32 i = 1; i < kOwn; ++i) all = op(all, own[i]);
  const T up_to = scan_warp(all, op);
  T before = __shfl_up_sync(~0u, up_to, 1);
  if (thread % 32 == 0) before = Op::none();
  if (thread % 32 == 31) of_warp[thread / 32] = up_to;
  __syncthreads();

  T whole = Op::none();  // of the tile
  ARRAY_UNROLL for (u32 warp = 0; warp < kWarps; ++warp) {
    if (warp == thread / 32) before = op(whole, before);
    whole = op(whole, of_warp[warp]);
  }
  if (thread < 32) {
    if (thread == 0) Told<T>::tell(words, tile, tile == 0 ? Told<T>::kAll : Told<T>::kOwn, whole);
    const T there = look_back<T>(words, tile, op);
    if (thread == 0) {
      before_tile = there;
      if (tile != 0) Told<T>::tell(words, tile, Told<T>::kAll, op(there, whole));
    }
  }
  __syncthreads();

  T value = op(before_tile, before);
  ARRAY_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    const T next = op(value, own[i]);
    own[i] = kInclusive ? next : value;
    value = next;
  }
  ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
    Some some;
    ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) some.at[j] = own[i * kSome + j];
    held[slot(thread * kVectors + i)] = some;
  }
  __syncthreads();
  ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
    const u32 v = i * kArrayThreads + thread;
    const Some some = held[slot(v)];
    if (full) {
      reinterpret_cast<Some*>(to + first)[v] = some;
    } else {
      ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) {
        if (first + v * kSome + j < count) to[first + v * kSome + j] = some.at[j];
      }
    }
  }
}

#endif

}  // namespace lanewise::primitives
