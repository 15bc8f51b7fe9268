// What programs compared with CUB share: memory, random numbers and times; any failure ends them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// The median of ten times of `work`, made ready before each, in seconds.
template <class Ready, class Work>
double seconds(Ready ready, Work work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < 12; ++run) {
    ready();
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end));
    if (run > 1) times.push_back(time);
  }
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  return times[5] / 1e3;
}

template <class Work>
double seconds(Work work) {
  return seconds([] {}, work);
}

template <class T>
T* allocate(size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

/// Numbers that look random (SplitMix64).
static __global__ void make(int* to, size_t count) {
  for (size_t i = blockIdx.x * size_t{256} + threadIdx.x; i < count; i += gridDim.x * size_t{256}) {
    unsigned long long x = i * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    to[i] = static_cast<int>(x ^ x >> 31);
  }
}
