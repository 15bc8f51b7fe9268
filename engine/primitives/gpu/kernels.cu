// Arrays and matrices as they are compiled at run time (device_arrays.cc, device_sort.cc, device_matrix.cc).

#include "primitives/gpu/arrays-inl.h"
#include "primitives/gpu/matrix_product-inl.h"
#include "primitives/gpu/merge_sort-inl.h"

using namespace lanewise::primitives;

#define ARRAYS(name, T, Op)                                                                       \
  extern "C" __global__ void __launch_bounds__(kArrayThreads)                                     \
      reduce_##name(const T* from, u64 count, T* parts, u32* ended, T* to) {                      \
    reduce<T, Op<T>>(from, count, parts, ended, to);                                              \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(kArrayThreads)                                     \
      scan_##name(const T* from, u64 count, T* to, u64* words, u64 tiles) {                       \
    scan<T, Op<T>, Wanted::kInclusive>(from, nullptr, count, to, words, tiles);                   \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(kArrayThreads)                                     \
      last_##name(const T* from, u64 count, T* to, u64* words, u64 tiles) {                       \
    scan<T, Op<T>, Wanted::kLast>(from, nullptr, count, to, words, tiles);                        \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(kArrayThreads)                                     \
      segments_##name(const T* from, const u8* begins, u64 count, T* to, u64* words, u64 tiles) { \
    scan<T, Op<T>, Wanted::kExclusive, true>(from, begins, count, to, words, tiles);              \
  }

ARRAYS(sum_int, int, Sum)
ARRAYS(least_int, int, Least)
ARRAYS(sum_long, long long, Sum)
ARRAYS(product_double, double, Product)
ARRAYS(greatest_double, double, Greatest)
ARRAYS(xor_long, long long, Xor)

extern "C" __global__ void begin_segments(const u64* offsets, u64 rows, u64 count, u8* begins) {
  begin_rows(offsets, rows, count, begins);
}

#define SORT(name, T, Before)                                                                               \
  extern "C" __global__ void __launch_bounds__(kSortThreads) sort_##name(const T* from, u64 count, T* to) { \
    sort_tiles<T, Before<T>>(from, count, to);                                                              \
  }                                                                                                         \
  extern "C" __global__ void __launch_bounds__(kSortThreads)                                                \
      split_##name(const T* from, u64 count, u64 run, u64* splits) {                                        \
    split_runs<T, Before<T>>(from, count, run, splits);                                                     \
  }                                                                                                         \
  extern "C" __global__ void __launch_bounds__(kSortThreads)                                                \
      merge_##name(const T* from, u64 count, u64 run, const u64* splits, T* to) {                           \
    merge_runs<T, Before<T>>(from, count, run, splits, to);                                                 \
  }                                                                                                         \
  extern "C" __global__ void __launch_bounds__(kSortThreads)                                                \
      split_two_##name(const T* a, u64 of_a, const T* b, u64 of_b, u64* splits) {                           \
    split_two<T, Before<T>>(a, of_a, b, of_b, splits);                                                      \
  }                                                                                                         \
  extern "C" __global__ void __launch_bounds__(kSortThreads)                                                \
      merge_two_##name(const T* a, u64 of_a, const T* b, u64 of_b, const u64* splits, T* to) {              \
    merge_two<T, Before<T>>(a, of_a, b, of_b, splits, to);                                                  \
  }

SORT(int, int, Ascending)
SORT(double, double, Descending)

#define PRODUCT(name, T)                                                                      \
  extern "C" __global__ void __launch_bounds__(kProductThreads)                               \
      multiply_##name(const T* a, const T* b, T* product, u64 rows, u64 inner, u64 columns) { \
    matrix_product(a, b, product, rows, inner, columns);                                      \
  }

PRODUCT(long, u64)
PRODUCT(double, double)
