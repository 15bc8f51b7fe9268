#pragma once

#include <future>
#include <optional>
#include <string>
#include <unordered_map>

#include "device/kernels.h"
#include "device/memory.h"
#include "device/staging.h"
#include "device/stream.h"
#include "exec/device/device_store.h"
#include "exec/device/strategy.h"

namespace lanewise::exec {

/// A GPU as queries use it: one at a time. Made once for a session; columns stay in its memory between
/// queries.
struct Accelerator {
  struct Options {
    int ordinal = 0;
    size_t memory_limit = 0;         ///< bytes of the GPU's memory; 0: nearly all
    MemoryBudget* budget = nullptr;  ///< of the host
    int64_t batch_rows = 1 << 28;    ///< rows that kernels are launched for at a time, a multiple of 64
    Strategy strategy = {};
  };
  /// Throws DeviceError where the GPU or its compiler cannot be used, MemoryError.
  explicit Accelerator(const Options& options);
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  int multiprocessors() const { return device.properties().multiprocessors; }
  /// "cuda:0"
  std::string name() const;

  /// As `staging`, for batches that come beside kernels whose results go: made when it is first wanted.
  device::Staging& feeding();
  /// list_kernels(), which the constructor begins to build: beside whatever is done before they are needed.
  const device::Module& lists();
  /// Kernels that queries before have loaded, by their source: from the cache of kernels they take a
  /// millisecond. Called where none of them is in use, as they go when there are too many.
  std::unordered_map<std::string, device::Module>& modules();

  device::Device& device;
  device::Stream stream;
  device::Stream copies;  ///< of batches that come while `stream` works
  device::DevicePool pool;
  device::Staging staging;
  DeviceStore store;
  const int64_t batch_rows;
  const Strategy strategy;

 private:
  void build_lists();

  MemoryBudget* const budget_;  // of the host
  std::optional<device::Staging> feeding_;
  std::future<device::BuiltModule> building_;
  std::optional<device::Module> lists_;
  std::unordered_map<std::string, device::Module> modules_;
};

}  // namespace lanewise::exec
