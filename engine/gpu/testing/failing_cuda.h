#pragma once

#include <atomic>

/// Settings of the library that wraps the real libcuda.so.1 (failing_cuda.cc). Its function
/// `FailingCuda* failing_cuda(const char* real)` opens the real one and returns the address of its settings.
struct FailingCuda {
  std::atomic<long> fail_in{
      0};  ///< that many calls from now, a call fails (1: the next) and is not made; 0: none
  std::atomic<int> fail_with{0};  ///< CUresult of that failure
  std::atomic<long> calls{0};     ///< calls that can fail: not those that free or set a context
};
