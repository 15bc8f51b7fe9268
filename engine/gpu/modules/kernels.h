#pragma once

#include <optional>

#include "gpu/modules/compiler.h"
#include "gpu/modules/kernel_cache.h"
#include "gpu/modules/module.h"

namespace lanewise::gpu {

/// A module, and whether it was cached.
struct BuiltModule {
  Module module;
  bool cached = false;  ///< it was in a cache; NVRTC was not needed
};

/// Loads `source` into `device`: compiled ahead, or from the cache, else compiled now and stored
/// there. Throws DeviceError: no compiler; InternalError: it does not compile. Thread-safe.
BuiltModule build(Device& device, const KernelSource& source, KernelCache& cache = KernelCache::system(),
                  const KernelCache& ahead = KernelCache::ahead());

/// The same if no compiler is needed; else nothing.
std::optional<BuiltModule> find_built(Device& device, const KernelSource& source,
                                      const KernelCache& cache = KernelCache::system(),
                                      const KernelCache& ahead = KernelCache::ahead());

/// Everything that determines the compiler's output for `source` on a device: its text and name, options,
/// headers, the architecture, the driver's version and ours.
std::string cache_key(const KernelSource& source, const std::string& architecture, int driver_version);
/// The same for kernels compiled ahead, for any driver. It has only a digest of the headers, which would be
/// most of the package.
std::string ahead_key(const KernelSource& source, const std::string& architecture);

}  // namespace lanewise::gpu
