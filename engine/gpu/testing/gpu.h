#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "gpu/driver.h"
#include "gpu/memory.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::gpu {

/// The first GPU, if there is one and a compiler for it (find_nvrtc); else null.
inline Device* find_gpu(const std::filesystem::path& root) {
  try {
    if (find_nvrtc(root)) return &Driver::system().device(0);
  } catch (const DeviceError&) {
  }
  return nullptr;
}

/// Tests on a GPU; skipped if there is none.
class GpuTest : public testing::Test {
 protected:
  /// `root`: of the repository.
  explicit GpuTest(const std::filesystem::path& root) : gpu_(find_gpu(root)) {}
  void SetUp() override {
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU, or no compiler for it";
    stream_.emplace(*gpu_);
    pool_.emplace(*gpu_);
  }

  /// Device memory with `values` and room for one more.
  template <class T>
  DeviceBuffer upload(const std::vector<T>& values) {
    DeviceBuffer buffer = pool_->allocate((values.size() + 1) * sizeof(T), *stream_, "a test");
    stream_->copy_to_device(buffer.address(), values.data(), values.size() * sizeof(T));
    stream_->synchronize();  // `values` may be destroyed now
    return buffer;
  }
  template <class T>
  std::vector<T> fetch(const DeviceBuffer& from, size_t count) {
    std::vector<T> values(count);
    stream_->copy_to_host(values.data(), from.address(), count * sizeof(T));
    stream_->synchronize();
    return values;
  }

  Device* const gpu_;
  std::optional<Stream> stream_;
  std::optional<DevicePool> pool_;
};

}  // namespace lanewise::gpu
