#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/cuda.h"

namespace lanewise::gpu {

class Device;

/// Fixed properties of a GPU. Sizes are in bytes.
struct Properties {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  size_t memory = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  size_t shared_per_block = 0;  ///< maximum per block
  size_t shared_per_multiprocessor = 0;
  size_t l2 = 0;
  double bandwidth = 0;  ///< memory bandwidth in bytes per second, from clock and bus width; 0: the driver
                         ///< does not report it
  bool cooperative = false;  ///< a launch's blocks can wait for each other

  /// "sm_90"
  std::string architecture() const;
};

/// The CUDA driver, opened at run time: nothing of CUDA is needed to build Lanewise or to run it without a
/// GPU. Thread-safe.
class Driver {
 public:
  /// This machine's driver, opened by the first call; it stays open until the process ends. Throws
  /// DeviceError that says why there is no usable driver.
  static Driver& system();

  /// Opens `library`: for tests; others use system().
  explicit Driver(const std::string& library);
  /// Releases the devices. Everything made on them must have been destroyed.
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// The CUDA version that it supports, major × 1000 + minor × 10.
  int version() const { return version_; }
  /// At least 1.
  int device_count() const { return static_cast<int>(devices_.size()); }
  /// Throws DeviceError. Needs no context: cheap.
  Properties properties(int ordinal) const;
  /// The device, ready for work; it lives as long as the driver. The first call for a device creates its
  /// context, which takes some tenths of a second. Throws DeviceError for a device that is missing or
  /// unusable, and MemoryError.
  Device& device(int ordinal);

  const cuda::Calls& calls() const { return calls_; }
  /// CUDA's name of an error.
  std::string name(cuda::Result error) const;

 private:
  template <class... Parameters, class... Arguments>
  void run(const cuda::Call<Parameters...>& call, Arguments... arguments) const {
    if (const cuda::Result result = call.function(arguments...); result != cuda::kSuccess)
      fail(call.symbol, result);
  }
  [[noreturn]] void fail(const char* call, cuda::Result result) const;

  const Library library_;
  const int version_;  // checked before the functions are looked up: an old driver lacks some
  const cuda::Calls calls_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Device>> devices_;  // null: not used yet
};

/// "13.0" of 13000.
std::string version_text(int version);

}  // namespace lanewise::gpu
