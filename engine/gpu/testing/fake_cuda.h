#pragma once

#include <cstddef>

/// What a test sets in and reads from the stand-in for libcuda.so.1 (fake_cuda.cc). The library's
/// function `fake_cuda` gives the address of its own.
struct FakeCuda {
  int fail_in = 0;  ///< the call that many calls ahead fails (1: the next); 0: none. Calls that free never do
  int fail_with = 0;       ///< CUresult of that failure; from 700 on it sticks
  int late_fault = 0;      ///< CUresult that the next waiting call returns, as after a kernel's fault
  int busy = 0;            ///< times that a stream says it is not done yet
  int stuck = 0;           ///< CUresult of every call, once a fault happened
  bool recording = false;  ///< a stream is captured: nothing can be freed
  size_t memory = size_t{1} << 30;  ///< of a device, bytes
  size_t unmapped = 0;              ///< bytes at the end of each allocation that are reserved but not mapped
  size_t used = 0;                  ///< in allocations
  long live = 0;   ///< streams, events, modules, graphs, allocations, pools and contexts that were not freed
  long calls = 0;  ///< that can fail
  size_t fetched = 64;  ///< bytes that a read from memory brings along, a limit of the context
  long copies = 0;
  long waits = 0;  ///< that wait for the device, or test whether it is done
};
