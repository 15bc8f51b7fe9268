// The devices of this machine.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/testing/test_size.h"
#include "gpu/error.h"
#include "gpu/testing/nvrtc.h"
#include "pram/gpu/backends/backend.h"
#include "pram/machine/options.h"

namespace lanewise::pram {

/// The backend of an executor; null, with a reason, if this machine has none. `root`: of the repository.
inline Backend* backend_of(Executor executor, const char* root, std::string& why) {
  if (kSanitized) {
    why = "the compilers of devices are not instrumented";
    return nullptr;
  }
  try {
    if (executor == Executor::kOpenCl) return &opencl_backend();
    if (!gpu::find_nvrtc(root)) {
      why = "NVRTC is not here";
      return nullptr;
    }
    return &cuda_backend();
  } catch (const gpu::DeviceError& error) {
    why = error.what();
    return nullptr;
  }
}

/// The end of a test's name.
inline std::string device_name(const testing::TestParamInfo<Executor>& test) {
  return test.param == Executor::kCuda ? "Cuda" : "OpenCl";
}

}  // namespace lanewise::pram
