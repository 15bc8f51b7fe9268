#pragma once

// Freestanding: this text is compiled by NVRTC. Reduction and prefix sum of arrays in the memory of a GPU, by
// any associative operator; also segmented prefix sums, and reductions in any order by commutative operators.

#include "lanes/lane.h"

namespace lanewise::primitives {

using lanes::u32;
using lanes::u64;
using lanes::u8;

/// Threads of a block, and bytes that a thread takes at once, unless others are given.
constexpr u32 kArrayThreads = 256;
constexpr u32 kReduceBytes = 128, kScanBytes = 64;

#if defined(__CUDACC__)

#define ARRAY_UNROLL _Pragma("unroll")

/// Operators: `none` is the neutral element.
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

/// As many items as one memory access moves.
template <class T>
struct alignas(16) Items {
  static constexpr u32 kSize = 16 / sizeof(T);
  T at[kSize];
};

/// The combination of consecutive values: of all, or of those since the last segment
/// began.
template <class T, class Op, bool kSegments>
struct Part {
  T value = Op::none();
  bool begins = false;  // whether a segment begins with one of them

  LANES_FN Part then(const Part& next) const {
    const T both = Op()(value, next.value);
    if constexpr (!kSegments) return {both, false};
    return {next.begins ? next.value : both, begins || next.begins};
  }
  /// The value of the lane `step` places before.
  LANES_FN Part of_lane_before(u32 step) const {
    Part there{__shfl_up_sync(~0u, value, step), false};
    if constexpr (kSegments) there.begins = __shfl_up_sync(~0u, u32(begins), step) != 0;
    return there;
  }
};

/// For each lane of a warp, the combination of its value and all before it.
template <class Some>
LANES_FN Some scan_warp(Some part) {
  ARRAY_UNROLL for (u32 step = 1; step < 32; step *= 2) {
    const Some before = part.of_lane_before(step);
    if (threadIdx.x % 32 >= step) part = before.then(part);
  }
  return part;
}

/// The result of all threads; the first one holds it.
template <u32 kThreads, class T, class Op>
LANES_FN T reduce_block(T value, Op op) {
  __shared__ T of_warp[kThreads / 32];
  ARRAY_UNROLL for (u32 step = 16; step != 0; step /= 2) value =
      op(value, __shfl_down_sync(~0u, value, step));
  __syncthreads();  // what was there before has been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return value;
  for (u32 warp = 1; warp < kThreads / 32; ++warp) value = op(value, of_warp[warp]);
  return value;
}

/// Each block combines its values, the last one to end combines the results of all. `ended` is 0 before and
/// after.
template <class T, class Op, u32 kThreads = kArrayThreads, u32 kBytes = kReduceBytes>
LANES_FN void reduce(const T* from, u64 count, T* parts, u32* ended, T* to) {
  using Some = Items<T>;
  constexpr u32 kTogether = kBytes / 16, kStep = kTogether * kThreads;
  constexpr Op op;
  const u64 vectors = count / Some::kSize;
  const Some* const all = reinterpret_cast<const Some*>(from);
  T value = Op::none();
  for (u64 first = blockIdx.x * u64(kStep); first < vectors; first += u64(gridDim.x) * kStep) {
    Some some[kTogether];
    if (first + kStep <= vectors) {
      ARRAY_UNROLL for (u32 i = 0; i < kTogether; ++i) some[i] = all[first + i * kThreads + threadIdx.x];
    } else {
      ARRAY_UNROLL for (u32 i = 0; i < kTogether; ++i) {
        const u64 v = first + i * kThreads + threadIdx.x;
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
  value = reduce_block<kThreads>(value, op);
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
  for (u32 i = threadIdx.x; i < gridDim.x; i += kThreads)
    value = op(value, static_cast<volatile T*>(parts)[i]);
  value = reduce_block<kThreads>(value, op);
  if (threadIdx.x != 0) return;
  *to = value;
  *ended = 0;
}

/// What a tile publishes for later ones: nothing yet, its combination, or that of all tiles up to it. A
/// word has the state in the high bits and a half of the value, or all of it, in the low bits: it is read
/// atomically.
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

/// The combination of all tiles before `tile`, found by the first warp: it looks back over 32 tiles at a time
/// until one has published its prefix (Merrill, Garland, 2016).
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

enum class Wanted { kInclusive, kExclusive, kLast };

/// The values at which a segment begins: bytes that are not 0.
template <u32 kCount>
struct alignas(kCount) Begins {
  u8 at[kCount];
};

template <u32 kCount>
LANES_FN Begins<kCount> load_begins(const u8* begins, u64 at, u64 count, bool full) {
  Begins<kCount> start{};
  if (full) {
    start = *reinterpret_cast<const Begins<kCount>*>(begins + at);
  } else {
    ARRAY_UNROLL for (u32 i = 0; i < kCount; ++i) start.at[i] = at + i < count ? begins[at + i] : u8(0);
  }
  return start;
}

/// A tile in shared memory, on the way between a memory that is read in whole lines and threads that each
/// have consecutive values.
template <class T, u32 kThreads, u32 kVectors>
struct SharedTile {
  using Some = Items<T>;
  static constexpr u32 kSome = Some::kSize, kOwn = kVectors * kSome;
  Some vectors[kVectors * kThreads];

  /// Vectors lie so that neither neighbours nor every fourth of them meet in a bank.
  static LANES_FN u32 slot(u32 v) { return v ^ (v >> 3 & 7); }

  /// `none` where the array has ended.
  LANES_FN void load(const T* from, u64 first, u64 count, bool full, T none) {
    ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
      const u32 v = i * kThreads + threadIdx.x;
      Some some;
      if (full) {
        some = reinterpret_cast<const Some*>(from + first)[v];
      } else {
        ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) {
          const u64 at = first + v * kSome + j;
          some.at[j] = at < count ? from[at] : none;
        }
      }
      vectors[slot(v)] = some;
    }
  }
  LANES_FN void store(T* to, u64 first, u64 count, bool full) const {
    ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
      const u32 v = i * kThreads + threadIdx.x;
      const Some some = vectors[slot(v)];
      if (full) {
        reinterpret_cast<Some*>(to + first)[v] = some;
      } else {
        ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) {
          if (first + v * kSome + j < count) to[first + v * kSome + j] = some.at[j];
        }
      }
    }
  }

  LANES_FN void read_own(T (&own)[kOwn]) const {
    ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
      const Some some = vectors[slot(threadIdx.x * kVectors + i)];
      ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) own[i * kSome + j] = some.at[j];
    }
  }
  LANES_FN void write_own(const T (&own)[kOwn]) {
    ARRAY_UNROLL for (u32 i = 0; i < kVectors; ++i) {
      Some some;
      ARRAY_UNROLL for (u32 j = 0; j < kSome; ++j) some.at[j] = own[i * kSome + j];
      vectors[slot(threadIdx.x * kVectors + i)] = some;
    }
  }
};

/// The block's tile, the first that no block has begun: those before it are under way, and can be waited for.
LANES_FN u64 next_tile(u64* begun) {
  __shared__ u32 ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(reinterpret_cast<u32*>(begun), 1);
  __syncthreads();
  return ticket;
}

/// For the first warp: publishes what later tiles need of this one. Its first lane learns what the tiles
/// before combine to, and what all up to this one do.
template <class T, class Op, bool kSegments>
LANES_FN void exchange(u64* words, u64 tile, const Part<T, Op, kSegments>& whole, T& before, T& up_to) {
  const bool known = tile == 0 || whole.begins;
  if (threadIdx.x == 0) Told<T>::tell(words, tile, known ? Told<T>::kAll : Told<T>::kOwn, whole.value);
  const T there = look_back<T>(words, tile, Op());
  if (threadIdx.x == 0) {
    before = there;
    up_to = Part<T, Op, kSegments>{there, false}.then(whole).value;
    if (!known) Told<T>::tell(words, tile, Told<T>::kAll, up_to);
  }
}

/// A tile for each block, in the order in which blocks start. `words`: `Told` of each tile, and after them
/// the number of tiles that have started; initially 0. `begins`: a byte for each value, if there are
/// segments; a tile in which one begins can publish its final value at once. kLast: `to` has only the last
/// value.
template <class T, class Op, Wanted kWanted, bool kSegments = false, u32 kThreads = kArrayThreads,
          u32 kBytes = kScanBytes>
LANES_FN void scan(const T* from, const u8* begins, u64 count, T* to, u64* words, u64 tiles) {
  using Whole = Part<T, Op, kSegments>;
  using Tile = SharedTile<T, kThreads, kBytes / 16>;
  constexpr u32 kOwn = Tile::kOwn, kWarps = kThreads / 32;
  constexpr Op op;
  __shared__ Tile held;
  __shared__ T of_warp[kWarps];
  __shared__ bool warp_begins[kWarps];
  __shared__ T before_tile;
  const u32 thread = threadIdx.x;
  const u64 tile = next_tile(words + tiles * Told<T>::kWords), first = tile * kThreads * kOwn;
  const bool full = first + kThreads * kOwn <= count;

  held.load(from, first, count, full, Op::none());
  Begins<kOwn> start{};
  if constexpr (kSegments) start = load_begins<kOwn>(begins, first + thread * kOwn, count, full);
  __syncthreads();

  T own[kOwn];
  held.read_own(own);
  const auto begins_at = [&](u32 i) { return kSegments && start.at[i] != 0; };
  Whole all{own[0], begins_at(0)};
  ARRAY_UNROLL for (u32 i = 1; i < kOwn; ++i) all = all.then({own[i], begins_at(i)});
  const Whole up_to = scan_warp(all);
  Whole before = up_to.of_lane_before(1);
  if (thread % 32 == 0) before = Whole();
  if (thread % 32 == 31) {
    of_warp[thread / 32] = up_to.value;
    warp_begins[thread / 32] = up_to.begins;
  }
  __syncthreads();

  Whole whole;  // of the tile
  ARRAY_UNROLL for (u32 warp = 0; warp < kWarps; ++warp) {
    if (warp == thread / 32) before = whole.then(before);
    whole = whole.then({of_warp[warp], kSegments && warp_begins[warp]});
  }
  T last;  // of the tile, in the first thread
  if (thread < 32) exchange(words, tile, whole, before_tile, last);
  if constexpr (kWanted == Wanted::kLast) {
    if (thread == 0 && tile == tiles - 1) *to = last;
    return;
  }
  __syncthreads();

  T value = Whole{before_tile, false}.then(before).value;
  ARRAY_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    if (begins_at(i)) value = Op::none();
    const T next = op(value, own[i]);
    own[i] = kWanted == Wanted::kInclusive ? next : value;
    value = next;
  }
  held.write_own(own);
  __syncthreads();
  held.store(to, first, count, full);
}

/// A segment begins at each row; `offsets` of rows are ascending.
LANES_FN void begin_rows(const u64* offsets, u64 rows, u64 count, u8* begins) {
  const u64 row = blockIdx.x * u64(kArrayThreads) + threadIdx.x;
  if (row < rows && offsets[row] < count) begins[offsets[row]] = 1;
}

#endif

}  // namespace lanewise::primitives
