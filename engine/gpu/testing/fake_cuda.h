#pragma once

#include <cstddef>

/// Settings and counters of the fake libcuda.so.1 (fake_cuda.cc). The library's
/// function `fake_cuda` returns their address.
struct FakeCuda {
  int fail_in = 0;         ///< the n-th call from now fails, unless it frees; 0: none
  int fail_with = 0;       ///< CUresult of that failure; from 700 on it is sticky
  int late_fault = 0;      ///< CUresult that the next waiting call returns, as after a kernel's fault
  int busy = 0;            ///< how often a stream reports that it is not done
  int stuck = 0;           ///< CUresult of every call after a fault
  bool recording = false;  ///< a stream is captured: nothing can be freed
  size_t memory = size_t{1} << 30;  ///< bytes of a device
  size_t unmapped = 0;              ///< bytes at the end of each allocation that are reserved but not mapped
  size_t used = 0;                  ///< in allocations
  long live = 0;   ///< streams, events, modules, graphs, allocations, pools and contexts that were not freed
  long calls = 0;  ///< calls that can fail
  size_t fetched = 64;  ///< bytes fetched by one read from memory, a limit of the context
  long copies = 0;
  size_t to_host = 0;  ///< bytes copied from devices to the host
  long waits = 0;      ///< calls that wait for the device, or test whether it is done
};
