// Sorting int32 by comparison on a GPU beside CUB's merge sort, in the same run: results equal, median of several.
//   nvcc -x cu -std=c++20 -O3 -arch=sm_90 -Iengine bench/rivals/merge_sort_cub.cpp -o merge_sort_cub && ./merge_sort_cub 28
#include <cub/device/device_merge_sort.cuh>
#include <vector>

#include "cub_run.cuh"
#include "primitives/gpu/merge_sort-inl.h"

namespace {

using namespace lanewise::primitives;
using T = int;
using Before = Ascending<T>;

__global__ void __launch_bounds__(kSortThreads) sort_all(const T* from, u64 count, T* to) {
  sort_tiles<T, Before>(from, count, to);
}
__global__ void __launch_bounds__(kSortThreads) split_all(const T* from, u64 count, u64 run, u64* splits) {
  split_runs<T, Before>(from, count, run, splits);
}
__global__ void __launch_bounds__(kSortThreads)
    merge_all(const T* from, u64 count, u64 run, const u64* splits, T* to) {
  merge_runs<T, Before>(from, count, run, splits, to);
}

}  // namespace

int main(int arguments, char** values) {
  const u64 count = u64(1) << (arguments > 1 ? std::atoi(values[1]) : 28);
  const u64 of_tile = kSortTile<sizeof(T)>, tiles = (count + of_tile - 1) / of_tile;
  T *from = allocate<T>(count), *mine = allocate<T>(count), *other = allocate<T>(count), *theirs = allocate<T>(count);
  u64* splits = allocate<u64>(tiles);
  make<<<1024, 256>>>(from, count);
  size_t bytes = 0;
  check(cub::DeviceMergeSort::SortKeys(nullptr, bytes, theirs, count, Before()));
  void* scratch = allocate<char>(bytes);
  int passes = 0;
  for (u64 run = of_tile; run < count; run *= 2) ++passes;
  double of_tiles = 0;
  const double own = seconds([&] {
    T *here = passes % 2 == 0 ? mine : other, *there = passes % 2 == 0 ? other : mine;
    sort_all<<<tiles, kSortThreads>>>(from, count, here);
    for (u64 run = of_tile; run < count; run *= 2) {
      split_all<<<(tiles + kSortThreads - 1) / kSortThreads, kSortThreads>>>(here, count, run, splits);
      merge_all<<<tiles, kSortThreads>>>(here, count, run, splits, there);
      std::swap(here, there);
    }
  });
  of_tiles = seconds([&] { sort_all<<<tiles, kSortThreads>>>(from, count, other); });
  // CUB sorts in place.
  const double rival =
      seconds([&] { check(cudaMemcpy(theirs, from, count * sizeof(T), cudaMemcpyDeviceToDevice)); },
              [&] { check(cub::DeviceMergeSort::SortKeys(scratch, bytes, theirs, count, Before())); });
  std::vector<T> a(count), b(count);
  check(cudaMemcpy(a.data(), mine, count * sizeof(T), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(b.data(), theirs, count * sizeof(T), cudaMemcpyDeviceToHost));
  if (a != b) return std::puts("other orders"), 1;
  std::printf("merge sort of %llu: %.2f ms (tiles %.2f ms, %d passes), %.2f G/s; CUB %.2f ms; %.2f of CUB\n",
              static_cast<unsigned long long>(count), own * 1e3, of_tiles * 1e3, passes, count / own / 1e9, rival * 1e3,
              rival / own);
}
