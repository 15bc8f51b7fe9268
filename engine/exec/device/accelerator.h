#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "device/memory.h"
#include "device/staging.h"
#include "device/stream.h"
#include "exec/device/device_store.h"
#include "exec/device/module_store.h"
#include "exec/device/strategy.h"

namespace lanewise::exec {

/// A GPU as queries use it: one at a time. Made once for a session; columns stay in its memory between
/// queries.
struct Accelerator {
 private:
  /// The compiler: begun before the GPU is opened, waited for when all else is gone, since a library that is
  /// at work must not see the process's end.
  std::future<void> warming_;

 public:
  struct Options {
    int ordinal = 0;
    size_t memory_limit = 0;         ///< bytes of the GPU's memory; 0: nearly all
    MemoryBudget* budget = nullptr;  ///< of the host
    int64_t batch_rows = 1 << 28;    ///< rows that kernels are launched for at a time, a multiple of 64
    Strategy strategy = {};
    int threads = 1;  ///< of the host, that queries may use
  };
  /// Throws DeviceError where the GPU or its compiler cannot be used, MemoryError.
  explicit Accelerator(const Options& options);
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  int multiprocessors() const { return device.properties().multiprocessors; }
  /// "cuda:0"
  std::string name() const;

  /// As `staging`, for batches that are copied in while results of kernels are copied out: made when it is
  /// first wanted.
  device::Staging& feeding();
  /// One of list_kernels(), whose building the constructor begins, in parallel with what is done before they
  /// are needed.
  device::Kernel list_kernel(const std::string& name);

  device::Device& device;
  device::Stream stream;
  device::Stream copies;              ///< of batches that come while `stream` works
  std::vector<device::Event> timers;  ///< for a KernelClock
  device::DevicePool pool;
  device::Staging staging;
  DeviceStore store;
  const int64_t batch_rows;
  const Strategy strategy;
  const bool compiles_beside;  ///< there are cores for it
  ModuleStore modules;

 private:
  MemoryBudget* const budget_;  // of the host
  std::optional<device::Staging> feeding_;
};

}  // namespace lanewise::exec
