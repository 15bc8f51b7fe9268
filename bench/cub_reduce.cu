// CUB's reductions of 2^30 int32, for bench/gpu_bench.py: a line for each, with its rate in GB/s.
//
//   nvcc -O3 -std=c++20 -arch=native -o cub_reduce bench/cub_reduce.cu && ./cub_reduce

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <vector>

namespace {

constexpr int kCount = 1 << 30;
constexpr int kRuns = 15;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void fill(int* values) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x)
    values[i] = static_cast<int>(i * 2654435761u >> 8) % 1000;
}

/// The median time of `reduce(memory, bytes)`, which returns its required size if `memory` is null.
template <class Reduce>
void measure(const char* name, Reduce&& reduce) {
  size_t bytes = 0;
  check(reduce(nullptr, bytes));
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run <= kRuns; run++) {
    check(cudaEventRecord(begin));
    check(reduce(memory, bytes));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run != 0) times.push_back(milliseconds);
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  const double median = times[kRuns / 2];
  std::printf("%-46s %8.3f ms %22.0f GB/s\n", name, median, kCount * 4.0 / median / 1e6);
  check(cudaFree(memory));
}

}  // namespace

int main() {
  int* values = nullptr;
  long long* sum = nullptr;
  check(cudaMalloc(&values, sizeof(int) * kCount));
  check(cudaMalloc(&sum, sizeof(*sum)));
  fill<<<1024, 256>>>(values);
  check(cudaGetLastError());
  measure("CUB: sum of int32", [&](void* memory, size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, values, sum, kCount);
  });
  measure("CUB: max of int32", [&](void* memory, size_t& bytes) {
    return cub::DeviceReduce::Max(memory, bytes, values, reinterpret_cast<int*>(sum), kCount);
  });
}
