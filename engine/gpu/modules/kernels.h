#pragma once

#include <optional>

#include "gpu/modules/compiler.h"
#include "gpu/modules/kernel_cache.h"
#include "gpu/modules/module.h"

namespace lanewise::gpu {

/// A module, and where it came from.
struct BuiltModule {
  Module module;
  bool cached = false;  ///< it was in a cache; NVRTC was not needed
};

/// Loads `source` into `device`: from what was compiled ahead, or from the cache, else compiled and stored
/// there. Throws DeviceError: no compiler; InternalError: it does not compile. Thread-safe.
BuiltModule build(Device& device, const KernelSource& source, KernelCache& cache = KernelCache::system(),
                  const KernelCache& ahead = KernelCache::ahead());

/// The same where it needs no compiler.
std::optional<BuiltModule> find_built(Device& device, const KernelSource& source,
                                      const KernelCache& cache = KernelCache::system(),
                                      const KernelCache& ahead = KernelCache::ahead());

/// All that decides what the compiler makes of `source` for a device: its text and name, options, headers,
/// the architecture, the driver's version and ours.
std::string cache_key(const KernelSource& source, const std::string& architecture, int driver_version);
/// The same for what is compiled ahead, for any driver. Of headers it holds a digest, as they would be most
/// of what is shipped.
std::string ahead_key(const KernelSource& source, const std::string& architecture);

}  // namespace lanewise::gpu
