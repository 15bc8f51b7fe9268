#pragma once

// Freestanding: this text is compiled by NVRTC. The product of two matrices by tiles.

#include "lanes/lane.h"

namespace lanewise::primitives {

using lanes::u32;
using lanes::u64;

constexpr u32 kProductSide = 64;      // of a block's tile
constexpr u32 kProductThreads = 128;  // 8 x 4 cells each
constexpr u32 kProductDepth = 16;     // depth of the part in shared memory

#if defined(__CUDACC__)

#define PRODUCT_UNROLL _Pragma("unroll")

/// A tile for each block: while one part of both matrices is used, registers load the next one.
template <class T>
LANES_FN void matrix_product(const T* a, const T* b, T* product, u64 rows, u64 inner, u64 columns) {
  constexpr u32 kSide = kProductSide, kDepth = kProductDepth, kThreads = kProductThreads;
  constexpr u32 kEach = kSide * kDepth / kThreads;  // cells that a thread loads from each matrix
  constexpr u32 kOwnRows = 8, kOwnColumns = 4, kLanes = kSide / kOwnColumns;
  __shared__ alignas(16)
      T left[2][kDepth][kSide + 16 / sizeof(T)];  // transposed, padded against bank conflicts
  __shared__ alignas(16) T top[2][kDepth][kSide];
  const u64 across = (columns + kSide - 1) / kSide;
  const u64 row = blockIdx.x / across * kSide, column = blockIdx.x % across * kSide;
  const u32 thread = threadIdx.x, x = thread % kLanes, y = thread / kLanes;
  const auto own_column = [&](u32 j) { return j / 2 * (kSide / 2) + x * 2 + j % 2; };

  T some_left[kEach], some_top[kEach];
  const auto bring = [&](u64 depth) {
    PRODUCT_UNROLL for (u32 i = 0; i < kEach; ++i) {
      const u32 cell = i * kThreads + thread;
      const u64 r = row + cell / kDepth, k = depth + cell % kDepth;
      some_left[i] = r < rows && k < inner ? a[r * inner + k] : T(0);
      const u64 l = depth + cell / kSide, c = column + cell % kSide;
      some_top[i] = l < inner && c < columns ? b[l * columns + c] : T(0);
    }
  };
  T own[kOwnRows][kOwnColumns] = {};
  bring(0);
  for (u64 depth = 0; depth < inner; depth += kDepth) {
    const u32 buffer = u32(depth / kDepth % 2);
    PRODUCT_UNROLL for (u32 i = 0; i < kEach; ++i) {
      const u32 cell = i * kThreads + thread;
      left[buffer][cell % kDepth][cell / kDepth] = some_left[i];
      top[buffer][cell / kSide][cell % kSide] = some_top[i];
    }
    __syncthreads();
    if (depth + kDepth < inner) bring(depth + kDepth);
    PRODUCT_UNROLL for (u32 k = 0; k < kDepth; ++k) {
      T first[kOwnRows], second[kOwnColumns];
      PRODUCT_UNROLL for (u32 i = 0; i < kOwnRows; ++i) first[i] = left[buffer][k][y * kOwnRows + i];
      PRODUCT_UNROLL for (u32 j = 0; j < kOwnColumns; ++j) second[j] = top[buffer][k][own_column(j)];
      PRODUCT_UNROLL for (u32 i = 0; i < kOwnRows; ++i) {
        PRODUCT_UNROLL for (u32 j = 0; j < kOwnColumns; ++j) own[i][j] += first[i] * second[j];
      }
    }
  }
  PRODUCT_UNROLL for (u32 i = 0; i < kOwnRows; ++i) {
    PRODUCT_UNROLL for (u32 j = 0; j < kOwnColumns; ++j) {
      const u64 r = row + y * kOwnRows + i, c = column + own_column(j);
      if (r < rows && c < columns) product[r * columns + c] = own[i][j];
    }
  }
}

#undef PRODUCT_UNROLL

#endif  // __CUDACC__

}  // namespace lanewise::primitives
