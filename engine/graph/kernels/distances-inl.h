#pragma once

// Freestanding: this text is also compiled by NVRTC. The steps of all distances by tiles: paths over the
// vertices of one tile after the other. On a GPU a block computes a tile; elsewhere plain loops do.

#include "lanes/lane.h"

namespace lanewise::graph {

using lanes::u32;
using lanes::u64;

constexpr u32 kTileSide = 128;
constexpr u32 kTileThreads = 256;     // that relax a tile, 8 x 8 cells each
constexpr u32 kCornerThreads = 1024;  // that close a tile, 4 x 4 cells each

/// The minimum of `known` and a path of two parts.
LANES_FN int shorter(int first, int second, int known) {
#if defined(__CUDACC__)
  return __viaddmin_s32(first, second, known);
#else
  return first + second < known ? first + second : known;
#endif
}
LANES_FN double shorter(double first, double second, double known) {
  return first + second < known ? first + second : known;
}

/// A square matrix of tiles, row-major.
template <class T>
struct Matrix {
  T* cells;
  u64 stride;  // a multiple of kTileSide

  LANES_FN T* tile(u32 row, u32 column) const {
    return cells + row * kTileSide * stride + column * kTileSide;
  }
};

#if defined(__CUDACC__)

#define GRAPH_UNROLL _Pragma("unroll")

/// As many numbers as one memory access moves.
template <class T>
struct alignas(16) Vector {
  static constexpr u32 kSize = 16 / sizeof(T);
  T at[kSize];
};

/// own[i][j] = the least of itself and first[i] + second[j].
template <u32 kOwn, class T>
LANES_FN void relax_over(const Vector<T>* first, const Vector<T>* second, T (&own)[kOwn][kOwn]) {
  constexpr u32 kSome = Vector<T>::kSize;
  GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    GRAPH_UNROLL for (u32 j = 0; j < kOwn; ++j) {
      own[i][j] = shorter(first[i / kSome].at[i % kSome], second[j / kSome].at[j % kSome], own[i][j]);
    }
  }
}

/// to[i][j] = the minimum of itself and first[i][m] + second[m][j]. Parts of both go through shared memory,
/// so that `to` may be one of them if the other is closed.
template <class T>
LANES_FN void relax(T* to, const T* first, const T* second, u64 stride) {
  using Some = Vector<T>;
  constexpr u32 kSome = Some::kSize, kOwn = 8, kLanes = 16, kGroups = kOwn / kSome;
  constexpr u32 kDepth = 64 / sizeof(T);  // columns of first, rows of second that are held at once
  constexpr u32 kEach = kTileSide * kDepth / kTileThreads / kSome;  // vectors of each that a thread loads
  constexpr u32 kRow = kTileSide + kSome;  // a row of the transposed part, padded against bank conflicts
  __shared__ Some columns_of_first[2][kDepth * kRow / kSome], rows_of_second[2][kDepth * kTileSide / kSome];
  const u32 thread = threadIdx.x, x = thread % kLanes, y = thread / kLanes;

  T own[kOwn][kOwn];
  const auto place = [](u32 lane, u32 i) { return (i / kSome * kLanes + lane) * kSome + i % kSome; };
  GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    GRAPH_UNROLL for (u32 g = 0; g < kGroups; ++g) {
      const Some some = *reinterpret_cast<const Some*>(to + place(y, i) * stride + place(x, g * kSome));
      GRAPH_UNROLL for (u32 j = 0; j < kSome; ++j) own[i][g * kSome + j] = some.at[j];
    }
  }

  Some left[kEach], top[kEach];  // the next values
  const auto bring = [&](u32 depth) {
    GRAPH_UNROLL for (u32 i = 0; i < kEach; ++i) {
      const u32 v = i * kTileThreads + thread;
      left[i] = *reinterpret_cast<const Some*>(first + v / (kDepth / kSome) * stride + depth +
                                               v % (kDepth / kSome) * kSome);
      top[i] = *reinterpret_cast<const Some*>(second + (depth + v / (kTileSide / kSome)) * stride +
                                              v % (kTileSide / kSome) * kSome);
    }
  };
  bring(0);
  for (u32 depth = 0; depth < kTileSide; depth += kDepth) {
    const u32 buffer = depth / kDepth % 2;
    T* const turned = columns_of_first[buffer][0].at;
    GRAPH_UNROLL for (u32 i = 0; i < kEach; ++i) {
      const u32 v = i * kTileThreads + thread;
      GRAPH_UNROLL for (u32 j = 0; j < kSome; ++j) {
        turned[(v % (kDepth / kSome) * kSome + j) * kRow + v / (kDepth / kSome)] = left[i].at[j];
      }
      rows_of_second[buffer][v] = top[i];
    }
    __syncthreads();
    if (depth + kDepth < kTileSide) bring(depth + kDepth);
    GRAPH_UNROLL for (u32 m = 0; m < kDepth; ++m) {
      Some a[kGroups], b[kGroups];
      GRAPH_UNROLL for (u32 g = 0; g < kGroups; ++g) {
        a[g] = columns_of_first[buffer][m * (kRow / kSome) + g * kLanes + y];
        b[g] = rows_of_second[buffer][m * (kTileSide / kSome) + g * kLanes + x];
      }
      relax_over(a, b, own);
    }
  }

  GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    GRAPH_UNROLL for (u32 g = 0; g < kGroups; ++g) {
      Some some;
      GRAPH_UNROLL for (u32 j = 0; j < kSome; ++j) some.at[j] = own[i][g * kSome + j];
      *reinterpret_cast<Some*>(to + place(y, i) * stride + place(x, g * kSome)) = some;
    }
  }
}

/// All paths within a tile.
template <class T>
LANES_FN void close(T* tile, u64 stride) {
  constexpr u32 kOwn = 4, kLanes = kTileSide / kOwn;
  __shared__ T rows[2][kTileSide], columns[2][kTileSide];  // those of the vertex that paths go over
  const u32 x = threadIdx.x % kLanes * kOwn, y = threadIdx.x / kLanes * kOwn;
  T own[kOwn][kOwn];
  GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    GRAPH_UNROLL for (u32 j = 0; j < kOwn; ++j) own[i][j] = tile[(y + i) * stride + x + j];
  }
  for (u32 middle = 0; middle < kTileSide; middle += kOwn) {
    GRAPH_UNROLL for (u32 m = 0; m < kOwn; ++m) {
      GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
        if (y == middle) rows[m % 2][x + i] = own[m][i];
        if (x == middle) columns[m % 2][y + i] = own[i][m];
      }
      __syncthreads();
      GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
        GRAPH_UNROLL for (u32 j = 0; j < kOwn; ++j) {
          own[i][j] = shorter(columns[m % 2][y + i], rows[m % 2][x + j], own[i][j]);
        }
      }
    }
  }
  GRAPH_UNROLL for (u32 i = 0; i < kOwn; ++i) {
    GRAPH_UNROLL for (u32 j = 0; j < kOwn; ++j) tile[(y + i) * stride + x + j] = own[i][j];
  }
}

#else

template <class T>
void relax(T* to, const T* first, const T* second, u64 stride) {
  for (u32 m = 0; m < kTileSide; ++m) {
    for (u32 i = 0; i < kTileSide; ++i) {
      const T way = first[i * stride + m];
      for (u32 j = 0; j < kTileSide; ++j) {
        to[i * stride + j] = shorter(way, second[m * stride + j], to[i * stride + j]);
      }
    }
  }
}

template <class T>
void close(T* tile, u64 stride) {
  relax(tile, tile, tile, stride);
}

#endif

/// Tile (k, k): paths within it.
template <class T>
struct Corner {
  static constexpr u32 kThreads = kCornerThreads;
  static constexpr const char* kName = sizeof(T) == 4 ? "corner_int" : "corner_double";
  Matrix<T> matrix;
  u32 k;

  LANES_FN void operator()(u64 /*item*/) const { close(matrix.tile(k, k), matrix.stride); }
};

/// The tiles of row k and column k: two for each item.
template <class T>
struct Cross {
  static constexpr u32 kThreads = kTileThreads;
  static constexpr const char* kName = sizeof(T) == 4 ? "cross_int" : "cross_double";
  Matrix<T> matrix;
  u32 k;

  LANES_FN void operator()(u64 item) const {
    const u32 i = u32(item / 2);
    if (i == k) return;
    const T* const corner = matrix.tile(k, k);
    if (item % 2 == 0) {
      relax(matrix.tile(k, i), corner, matrix.tile(k, i), matrix.stride);
    } else {
      relax(matrix.tile(i, k), matrix.tile(i, k), corner, matrix.stride);
    }
  }
};

/// All other tiles, by their row and column.
template <class T>
struct Others {
  static constexpr u32 kThreads = kTileThreads;
  static constexpr const char* kName = sizeof(T) == 4 ? "others_int" : "others_double";
  Matrix<T> matrix;
  u32 k;

  LANES_FN void operator()(u64 item) const {
    const u32 tiles = u32(matrix.stride / kTileSide);
    const u32 row = u32(item / tiles), column = u32(item % tiles);
    if (row == k || column == k) return;
    relax(matrix.tile(row, column), matrix.tile(row, k), matrix.tile(k, column), matrix.stride);
  }
};

}  // namespace lanewise::graph
