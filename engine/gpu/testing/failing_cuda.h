#pragma once

#include <atomic>

/// What a test sets in the library that stands before the real libcuda.so.1 (failing_cuda.cc). Its function
/// `FailingCuda* failing_cuda(const char* real)` opens the real one and gives the address of its own.
struct FailingCuda {
  std::atomic<long> fail_in{
      0};  ///< the call that many calls ahead fails (1: the next) and is not made; 0: none
  std::atomic<int> fail_with{0};  ///< CUresult of that failure
  std::atomic<long> calls{0};     ///< that can fail: not those that free, nor those that set a context
};
