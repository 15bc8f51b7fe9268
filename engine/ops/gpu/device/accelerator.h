#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/module_store.h"
#include "codegen/strategy.h"
#include "gpu/memory.h"
#include "gpu/staging.h"
#include "gpu/stream.h"
#include "ops/gpu/device/device_store.h"
#include "ops/run/place.h"

namespace lanewise::ops {

/// The text of the kernels that are the same for all queries: bitmaps to lists, rows to pairs.
std::string list_kernels();

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
    codegen::Strategy strategy = {};
    int threads = 1;  ///< of the host, that queries may use
  };
  /// Throws DeviceError where the GPU or its compiler cannot be used, MemoryError.
  explicit Accelerator(const Options& options);
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  int multiprocessors() const { return device.properties().multiprocessors; }
  Place place() const { return {device.ordinal()}; }
  /// "cuda:0"
  std::string name() const { return to_string(place()); }

  /// As `staging`, for batches that are copied in while results of kernels are copied out: made when it is
  /// first wanted.
  gpu::Staging& feeding();
  /// One of list_kernels(), whose building the constructor begins, in parallel with what is done before they
  /// are needed.
  gpu::Kernel list_kernel(const std::string& name);
  /// Those of data/gpu/arrow-inl.h, built when they are first wanted.
  const gpu::Module& border_kernels();

  gpu::Device& device;

 private:
  const gpu::Device::FetchSectors sectors_;

 public:
  gpu::Stream stream;
  gpu::Stream copies;                             ///< of batches that come while `stream` works
  std::vector<gpu::Event> timers;                 ///< for a KernelClock
  const std::shared_ptr<gpu::DevicePool> memory;  ///< results in it may outlive the session
  gpu::DevicePool& pool;
  gpu::Staging staging;
  DeviceStore store;
  const int64_t batch_rows;
  const codegen::Strategy strategy;
  const bool compiles_beside;  ///< there are cores for it
  codegen::ModuleStore modules;

 private:
  MemoryBudget* const budget_;  // of the host
  std::optional<gpu::Staging> feeding_;
  std::shared_ptr<const gpu::BuiltModule> border_;
};

/// A value in the device's memory, when all that was launched before is done.
template <class T>
T fetch_one(Accelerator& gpu, gpu::cuda::Address from, gpu::Stream& stream) {
  T value;
  gpu.staging.download(&value, from, sizeof(T), stream);
  return value;
}
template <class T>
T fetch_one(Accelerator& gpu, gpu::cuda::Address from) {
  return fetch_one<T>(gpu, from, gpu.stream);
}

/// Blocks of row kernels at most, for one slot of states each.
uint64_t most_blocks(const Accelerator& gpu);

}  // namespace lanewise::ops
