// Reduction and scan of int32 on a GPU beside CUB's, in the same run: results equal, median of several.
//   nvcc -x cu -std=c++20 -O3 -arch=sm_90 -Iengine bench/rivals/arrays_cub.cpp -o arrays_cub && ./arrays_cub 28
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "cub_run.cuh"
#include "primitives/gpu/arrays-inl.h"

namespace {

using namespace lanewise::primitives;
using T = int;

__global__ void __launch_bounds__(kArrayThreads) reduce_all(const T* from, u64 count, T* parts, u32* ended, T* to) {
  reduce<T, Sum<T>>(from, count, parts, ended, to);
}
__global__ void __launch_bounds__(kArrayThreads) scan_all(const T* from, u64 count, T* to, u64* words, u64 tiles) {
  scan<T, Sum<T>, Wanted::kInclusive>(from, nullptr, count, to, words, tiles);
}

}  // namespace

int main(int arguments, char** values) {
  const u64 count = u64(1) << (arguments > 1 ? std::atoi(values[1]) : 28);
  const u64 tile = kArrayThreads * kScanBytes / sizeof(T), tiles = (count + tile - 1) / tile;
  T *from = allocate<T>(count), *mine = allocate<T>(count), *theirs = allocate<T>(count);
  u64* words = allocate<u64>(tiles + 1);
  u32* ended = allocate<u32>(1);
  T* parts = allocate<T>(1 << 16);
  make<<<1024, 256>>>(from, count);
  check(cudaMemset(ended, 0, 4));
  size_t bytes = 0, more = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, from, theirs, count));
  check(cub::DeviceScan::InclusiveSum(nullptr, more, from, theirs, count));
  bytes = std::max(bytes, more);
  void* scratch = allocate<char>(bytes);

  const auto report = [&](const char* what, double own, double rival, double moved) {
    std::printf("%s of %llu: %.3f ms, %.0f GB/s; CUB %.3f ms, %.0f GB/s; %.2f of CUB\n", what,
                static_cast<unsigned long long>(count), own * 1e3, moved / own / 1e9, rival * 1e3, moved / rival / 1e9,
                rival / own);
  };
  for (const int each : {2, 4, 8, 16}) {
    const double own = seconds([&] { reduce_all<<<132 * each, kArrayThreads>>>(from, count, parts, ended, mine); });
    const double rival = seconds([&] { check(cub::DeviceReduce::Sum(scratch, bytes, from, theirs, count)); });
    T results[2];
    check(cudaMemcpy(results, mine, sizeof(T), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(results + 1, theirs, sizeof(T), cudaMemcpyDeviceToHost));
    if (results[0] != results[1]) return std::puts("other sums"), 1;
    std::printf("%2d blocks of a multiprocessor: ", each);
    report("reduction", own, rival, count * 4.0);
  }
  const double own = seconds([&] {
    check(cudaMemsetAsync(words, 0, (tiles + 1) * sizeof(u64)));
    scan_all<<<tiles, kArrayThreads>>>(from, count, mine, words, tiles);
  });
  const double rival = seconds([&] { check(cub::DeviceScan::InclusiveSum(scratch, bytes, from, theirs, count)); });
  std::vector<T> a(count), b(count);
  check(cudaMemcpy(a.data(), mine, count * sizeof(T), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(b.data(), theirs, count * sizeof(T), cudaMemcpyDeviceToHost));
  if (a != b) return std::puts("other scans"), 1;
  report("scan", own, rival, count * 8.0);
}
