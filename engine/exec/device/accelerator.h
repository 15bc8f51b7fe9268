#pragma once

#include <optional>
#include <string>

#include "device/memory.h"
#include "device/module.h"
#include "device/staging.h"
#include "device/stream.h"
#include "exec/device/device_store.h"

namespace lanewise::exec {

/// A GPU as queries use it: one at a time. Made once for a session; columns stay in its memory between
/// queries.
struct Accelerator {
  struct Options {
    int ordinal = 0;
    size_t memory_limit = 0;         ///< bytes of the GPU's memory; 0: nearly all
    MemoryBudget* budget = nullptr;  ///< of the host
    int64_t batch_rows = 1 << 28;    ///< rows that kernels are launched for at a time, a multiple of 64
  };
  /// Throws DeviceError where the GPU or its compiler cannot be used, MemoryError.
  explicit Accelerator(const Options& options);
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  int multiprocessors() const { return device.properties().multiprocessors; }
  /// "cuda:0"
  std::string name() const;

  device::Device& device;
  device::Stream stream;
  device::DevicePool pool;
  device::Staging staging;
  DeviceStore store;
  std::optional<device::Module> lists;  ///< list_kernels(), when a query has needed them
  const int64_t batch_rows;
};

}  // namespace lanewise::exec
