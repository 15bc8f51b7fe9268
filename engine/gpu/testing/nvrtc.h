#pragma once

#include <cstdlib>
#include <filesystem>

#include "gpu/error.h"
#include "gpu/modules/compiler.h"

namespace lanewise::gpu {

/// Whether this machine has NVRTC. If the loader does not find it, the package in the Python environment
/// of the repository at `root` is used.
inline bool find_nvrtc(const std::filesystem::path& root) {
  static const bool found = [&] {
    const auto environment = root / ".cache/venv/lib";
    std::error_code none;
    for (const auto& python : std::filesystem::directory_iterator(environment, none)) {
      const auto library = python.path() / "site-packages/nvidia/cu13/lib/libnvrtc.so.13";
      if (std::filesystem::exists(library)) setenv("LANEWISE_NVRTC", library.c_str(), 0);
    }
    try {
      Compiler::system();
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }();
  return found;
}

}  // namespace lanewise::gpu
