#pragma once

#include "gpu/testing/fake_driver.h"
#include "gpu/testing/gpu.h"
#include "graph/gpu/steps.h"

namespace lanewise::graph {

/// Where steps run in a test: on the host's threads with the fake driver; or on the GPU, null
/// if there is none or no compiler for it. `root`: of the repository.
inline gpu::Device* device_for(Steps::Where where, const std::filesystem::path& root) {
  if (where == Steps::Where::kGpu) return gpu::find_gpu(root);
  try {
    static gpu::Driver& driver = *new gpu::Driver(gpu::fake_library("fake"));
    return &driver.device(0);
  } catch (const gpu::DeviceError&) {  // it was not built, or is elsewhere
    return nullptr;
  }
}

}  // namespace lanewise::graph
