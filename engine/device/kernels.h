#pragma once

#include "device/compiler.h"
#include "device/kernel_cache.h"
#include "device/module.h"

namespace lanewise::device {

/// A module, and what it cost to get it.
struct BuiltModule {
  Module module;
  bool cached = false;  ///< it was in the cache; NVRTC was not needed
  double seconds = 0;   ///< until it was loaded
};

/// Loads `source` into `device`, from the cache if it has it, else compiled and stored there. Throws
/// DeviceError: no compiler; InternalError: it does not compile. Thread-safe.
BuiltModule build(Device& device, const KernelSource& source, KernelCache& cache = KernelCache::system());

/// All that decides what the compiler makes of `source` for a device: its text and name, options, headers,
/// the architecture, the driver's version and ours.
std::string cache_key(const KernelSource& source, const std::string& architecture, int driver_version);

}  // namespace lanewise::device
