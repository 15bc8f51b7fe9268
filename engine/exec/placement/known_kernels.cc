#include "exec/placement/known_kernels.h"

#include <fmt/format.h>

#include "exec/gpu/run_on_device.h"
#include "gpu/modules/kernel_cache.h"

namespace lanewise::exec {

namespace {

/// The key under which the kernel cache notes a pipeline's kernels, for a GPU of this name; without a name,
/// for any GPU.
std::string kernels_key(const std::string& kernels, const std::string& gpu) {
  return fmt::format("compiled for {}: {}", gpu, kernels);
}

}  // namespace

Kernels find_kernels(const plan::Pipeline& pipeline, const ops::Results& results,
                     const codegen::Strategy& strategy, const ops::DeviceView& view) {
  if (is_compiled_ahead(pipeline, results, strategy, view.architecture)) return Kernels::kAhead;
  const std::string key = kernels_key(kernels_name(pipeline, results, strategy), view.costs.name);
  return gpu::KernelCache::system().find(key) ? Kernels::kCached : Kernels::kToCompile;
}

void note_compiled(const plan::Pipeline& pipeline, const ops::Results& results,
                   const codegen::Strategy& strategy, const std::string& gpu) {
  const std::string kernels = kernels_name(pipeline, results, strategy);
  const gpu::KernelCache& cache = gpu::KernelCache::system();
  for (const std::string& name : {gpu, std::string()}) {
    if (const std::string key = kernels_key(kernels, name); !cache.find(key)) cache.store(key, "");
  }
}

}  // namespace lanewise::exec
