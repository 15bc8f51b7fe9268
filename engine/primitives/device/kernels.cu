// Reduction, scan and merge sort as they are compiled at run time (device_arrays.cc, device_sort.cc).

#include "primitives/device/arrays-inl.h"
#include "primitives/device/merge_sort-inl.h"

using namespace lanewise::primitives;

#define ARRAYS(name, T, Op)                                                  \
  extern "C" __global__ void __launch_bounds__(kArrayThreads)                \
      reduce_##name(const T* from, u64 count, T* parts, u32* ended, T* to) { \
    reduce<T, Op<T>>(from, count, parts, ended, to);                         \
  }                                                                          \
  extern "C" __global__ void __launch_bounds__(kArrayThreads)                \
      scan_##name(const T* from, u64 count, T* to, u64* words, u64 tiles) {  \
    scan<T, Op<T>, true>(from, count, to, words, tiles);                     \
  }

ARRAYS(sum_int, int, Sum)
ARRAYS(least_int, int, Least)
ARRAYS(sum_long, long long, Sum)
ARRAYS(product_double, double, Product)
ARRAYS(greatest_double, double, Greatest)
ARRAYS(xor_long, long long, Xor)

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
  }

SORT(int, int, Ascending)
SORT(double, double, Descending)
