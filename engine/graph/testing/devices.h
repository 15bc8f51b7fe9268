#pragma once

#include "device/testing/fake_driver.h"
#include "device/testing/gpu.h"
#include "graph/device/steps.h"

namespace lanewise::graph {

/// Where steps run in a test: on the host's threads with the stand-in for the driver; or on the GPU, null
/// where there is none or no compiler for it. `root`: of the repository.
inline device::Device* device_for(Steps::Where where, const std::filesystem::path& root) {
  if (where == Steps::Where::kGpu) return device::find_gpu(root);
  try {
    static device::Driver& driver = *new device::Driver(device::fake_library("fake"));
    return &driver.device(0);
  } catch (const device::DeviceError&) {  // it was not built, or lies elsewhere
    return nullptr;
  }
}

}  // namespace lanewise::graph
