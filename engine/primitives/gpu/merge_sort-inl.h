#pragma once

// Freestanding: this text is compiled by NVRTC. Sorting by comparison in the memory of a GPU: tiles within a
// block, then runs, pair by pair; and merging two arrays. Equal values keep their order.

#include "lanes/lane.h"

namespace lanewise::primitives {

using lanes::u32;
using lanes::u64;

constexpr u32 kSortThreads = 256;
/// Items of a thread: an odd number, so that adjacent threads' items are in different banks.
template <u32 kBytes>
constexpr u32 kSortItems = kBytes <= 4 ? 17 : 11;
/// Items of a tile: sorted or merged by one block.
template <u32 kBytes>
constexpr u32 kSortTile = kSortThreads * kSortItems<kBytes>;

#if defined(__CUDACC__)

#define SORT_UNROLL _Pragma("unroll")

/// The order; NaN is last.
template <class T>
struct Ascending {
  LANES_FN bool operator()(T a, T b) const { return a < b || (a == a && b != b); }
};
template <class T>
struct Descending {
  LANES_FN bool operator()(T a, T b) const { return a > b || (a == a && b != b); }
};

/// How many of the first `diagonal` items of two merged runs are from the first run, whose equal items come
/// first. At most both sizes.
template <class T, class Size, class Before>
LANES_FN Size merge_path(const T* a, Size of_a, const T* b, Size of_b, Size diagonal, Before before) {
  Size low = diagonal > of_b ? diagonal - of_b : 0;
  Size high = diagonal < of_a ? diagonal : of_a;
  while (low < high) {
    const Size middle = (low + high) / 2;
    if (before(b[diagonal - 1 - middle], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// A tile, and the padding that a merge may read after it.
template <class T>
struct SortTile {
  static constexpr u32 kOwn = kSortItems<sizeof(T)>, kSize = kSortTile<sizeof(T)>;
  T at[kSize + kOwn + 1];

  /// A thread's part of the merge of two runs within the tile: kOwn items from `diagonal` on.
  template <class Before>
  LANES_FN void merge(u32 a, u32 of_a, u32 b, u32 of_b, u32 diagonal, T (&to)[kOwn], Before before) const {
    const u32 first = merge_path(at + a, of_a, at + b, of_b, diagonal, before);
    const u32 a_end = a + of_a, b_end = b + of_b;
    a += first;
    b += diagonal - first;
    T x = at[a], y = at[b];
    SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) {
      const bool second = b < b_end && (a >= a_end || before(y, x));
      to[i] = second ? y : x;
      const u32 next = second ? ++b : ++a;
      const T item = at[next];
      x = second ? x : item;
      y = second ? item : y;
    }
  }

  LANES_FN void put(const T (&own)[kOwn]) {
    SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) at[threadIdx.x * kOwn + i] = own[i];
  }

  /// Writes its first `size` items to memory.
  LANES_FN void store(T* to, u32 size) const {
    SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) {
      const u32 item = i * kSortThreads + threadIdx.x;
      if (item < size) to[item] = at[item];
    }
  }
};

LANES_FN u32 least(u64 a, u64 b) { return u32(a < b ? a : b); }

/// Each block sorts a tile; `to` may be `from`.
template <class T, class Before>
LANES_FN void sort_tiles(const T* from, u64 count, T* to) {
  constexpr u32 kOwn = SortTile<T>::kOwn, kSize = SortTile<T>::kSize;
  constexpr Before before;
  __shared__ SortTile<T> tile;
  const u64 begin = blockIdx.x * u64(kSize);
  const u32 size = least(kSize, count - begin);
  SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    const u32 item = i * kSortThreads + threadIdx.x;
    if (item < size) tile.at[item] = from[begin + item];
  }
  __syncthreads();
  const u32 first = threadIdx.x * kOwn;
  T own[kOwn];
  SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) own[i] = tile.at[first + i];
  const u32 mine = first < size ? least(kOwn, size - first) : 0;
  SORT_UNROLL for (u32 round = 0; round < kOwn; ++round) {
    SORT_UNROLL for (u32 i = round % 2; i + 1 < kOwn; i += 2) {
      if (i + 1 < mine && before(own[i + 1], own[i])) {
        const T item = own[i];
        own[i] = own[i + 1];
        own[i + 1] = item;
      }
    }
  }
  for (u32 run = kOwn; run < kSize; run *= 2) {
    __syncthreads();
    tile.put(own);
    __syncthreads();
    const u32 a = first / (2 * run) * (2 * run);
    const u32 of_a = a < size ? least(run, size - a) : 0;
    const u32 b = a + of_a;
    const u32 of_b = b < size ? least(run, size - b) : 0;
    tile.merge(a, of_a, b, of_b, least(first - a, of_a + of_b), own, before);
  }
  __syncthreads();
  tile.put(own);
  __syncthreads();
  tile.store(to + begin, size);
}

/// Two adjacent runs, and the start of a tile of their merge.
struct RunPair {
  u64 first, of_a, of_b, diagonal;

  LANES_FN RunPair(u64 at, u64 run, u64 count)
      : first(at / (2 * run) * (2 * run)),
        of_a(count - first < run ? count - first : run),
        of_b(count - first - of_a < run ? count - first - of_a : run),
        diagonal(at - first) {}
};

/// splits[i]: how many items before tile i are from the first run of its pair.
template <class T, class Before>
LANES_FN void split_runs(const T* from, u64 count, u64 run, u64* splits) {
  const u64 at = (blockIdx.x * u64(kSortThreads) + threadIdx.x) * SortTile<T>::kSize;
  if (at >= count) return;
  const RunPair pair(at, run, count);
  const T* const a = from + pair.first;
  splits[at / SortTile<T>::kSize] =
      merge_path(a, pair.of_a, a + pair.of_a, pair.of_b, pair.diagonal, Before());
}

/// A block's tile of `size` items of a merge: the first `of_a` of `a`, the rest of `b`.
template <class T, class Before>
LANES_FN void merge_tile(const T* a, u32 of_a, const T* b, u32 size, T* to) {
  constexpr u32 kOwn = SortTile<T>::kOwn;
  __shared__ SortTile<T> tile;
  T own[kOwn];
  SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    const u32 item = i * kSortThreads + threadIdx.x;
    if (item < size) own[i] = item < of_a ? a[item] : b[item - of_a];
  }
  SORT_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    const u32 item = i * kSortThreads + threadIdx.x;
    if (item < size) tile.at[item] = own[i];
  }
  __syncthreads();
  tile.merge(0, of_a, of_a, size - of_a, least(threadIdx.x * kOwn, size), own, Before());
  __syncthreads();
  tile.put(own);
  __syncthreads();
  tile.store(to, size);
}

/// Each block makes a tile of the merged runs, whose lengths are `run`, a multiple of a tile's.
template <class T, class Before>
LANES_FN void merge_runs(const T* from, u64 count, u64 run, const u64* splits, T* to) {
  constexpr u32 kSize = SortTile<T>::kSize;
  const u64 begin = blockIdx.x * u64(kSize);
  const u32 size = least(kSize, count - begin);
  const RunPair pair(begin, run, count);
  const u64 split = splits[blockIdx.x];
  const u64 end = pair.diagonal + size;
  const u64 next = end == pair.of_a + pair.of_b ? pair.of_a : splits[blockIdx.x + 1];
  const T* const a = from + pair.first;
  merge_tile<T, Before>(a + split, u32(next - split), a + pair.of_a + (pair.diagonal - split), size,
                        to + begin);
}

/// splits[i]: how many items before tile i, of two merged arrays, are from the first.
template <class T, class Before>
LANES_FN void split_two(const T* a, u64 of_a, const T* b, u64 of_b, u64* splits) {
  const u64 at = (blockIdx.x * u64(kSortThreads) + threadIdx.x) * SortTile<T>::kSize;
  if (at < of_a + of_b) splits[at / SortTile<T>::kSize] = merge_path(a, of_a, b, of_b, at, Before());
}

/// Each block makes a tile of two arrays merged.
template <class T, class Before>
LANES_FN void merge_two(const T* a, u64 of_a, const T* b, u64 of_b, const u64* splits, T* to) {
  constexpr u32 kSize = SortTile<T>::kSize;
  const u64 begin = blockIdx.x * u64(kSize);
  const u32 size = least(kSize, of_a + of_b - begin);
  const u64 split = splits[blockIdx.x];
  const u64 next = blockIdx.x == gridDim.x - 1 ? of_a : splits[blockIdx.x + 1];
  merge_tile<T, Before>(a + split, u32(next - split), b + (begin - split), size, to + begin);
}

#undef SORT_UNROLL

#endif  // __CUDACC__

}  // namespace lanewise::primitives
