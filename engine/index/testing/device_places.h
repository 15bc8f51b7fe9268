#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "index/gpu/device_index.h"
#include "index/testing/emulated_runner.h"

namespace lanewise::on_devices {

using Random = std::mt19937_64;

/// The two ways to run kernels; a device is null if there is none, or no compiler for it.
struct Emulated {
  static gpu::Device* find_device();
  static std::unique_ptr<index::Runner> runner(gpu::Device&) {
    return std::make_unique<index::EmulatedRunner>();
  }
  static constexpr bool kEmulated = true;
};
struct Gpu {
  static gpu::Device* find_device();
  static std::unique_ptr<index::Runner> runner(gpu::Device& device) {
    return std::make_unique<index::GpuRunner>(device);
  }
  static constexpr bool kEmulated = false;
};

template <class Where>
class DeviceIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    device_ = Where::find_device();
    if (device_ == nullptr) GTEST_SKIP() << "no GPU here, or no compiler for it";
  }
  DeviceIndex upload(const Index& index) { return {index, *device_, Where::runner(*device_)}; }

  gpu::Device* device_ = nullptr;
};

using Places = testing::Types<Emulated, Gpu>;

template <class T>
T key_of(uint64_t k) {
  if (k == 0) return std::numeric_limits<T>::max();
  if (k == 1) return std::numeric_limits<T>::lowest();
  if constexpr (std::is_floating_point_v<T>) {
    if (k == 2) return std::numeric_limits<T>::quiet_NaN();
    if (k == 3) return -std::numeric_limits<T>::infinity();
    if (k == 4) return T{-0.0};
    return static_cast<T>(static_cast<double>(k) - 500) / 3;
  } else {
    return static_cast<T>(k * 0x9e3779b97f4a7c15);
  }
}

template <class T>
std::vector<T> random_keys(size_t count, uint64_t distinct, Random& random) {
  std::vector<T> keys(count);
  for (T& key : keys) key = key_of<T>(random() % distinct);
  return keys;
}

inline IndexOptions options(std::vector<KeyField> key, uint32_t leaf_keys, uint32_t inner_keys,
                            uint32_t value_bytes = 4) {
  IndexOptions made;
  made.key = std::move(key);
  made.leaf_keys = leaf_keys;
  made.inner_keys = inner_keys;
  made.value_bytes = value_bytes;
  return made;
}

}  // namespace lanewise::on_devices
