#pragma once

#include <cstdlib>
#include <filesystem>

#include "gpu/error.h"
#include "gpu/sort/sort.h"

namespace lanewise::gpu {

/// Whether the sort plug-in was built. `built` is its path in the build folder; elsewhere it is next to
/// the test.
inline bool find_sorter(const std::filesystem::path& built) {
  if (std::filesystem::exists(built)) setenv("LANEWISE_SORT", built.c_str(), 0);
  try {
    Sorter::system();
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

}  // namespace lanewise::gpu
