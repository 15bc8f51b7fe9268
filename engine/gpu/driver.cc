#include "gpu/driver.h"

#include <fmt/format.h>

#include <utility>

#include "gpu/device.h"
#include "gpu/error.h"
#include "gpu/failure.h"

namespace lanewise::gpu {

namespace {

constexpr int kOldest = 12000;

/// Starts the driver and returns its version.
int start(const Library& library) {
  const auto check = [](const char* call, cuda::Result result) {
    if (result == cuda::kSuccess) return;
    throw DeviceError(fmt::format("{} ({}: error {})", failure_of(result).cause, call, result));
  };
  int version = 0;
  const cuda::Call<int*> get_version(library, "cuDriverGetVersion");
  check(get_version.symbol, get_version.function(&version));  // an old driver answers even if it cannot start
  if (version < kOldest) {
    throw DeviceError(
        fmt::format("the NVIDIA driver supports CUDA {}, and Lanewise needs {} or newer; update it",
                    version_text(version), version_text(kOldest)));
  }
  const cuda::Call<unsigned> init(library, "cuInit");
  check(init.symbol, init.function(0));
  return version;
}

}  // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string Properties::architecture() const { return fmt::format("sm_{}{}", major, minor); }

Driver& Driver::system() {
  static Driver& driver =
      *new Driver("libcuda.so.1");  // never closed: threads may still use it when statics go
  return driver;
}

Driver::Driver(const std::string& library)
    : library_({library}, "the NVIDIA driver", "install it to use a GPU"),
      version_(start(library_)),
      calls_(library_) {
  int count = 0;
  run(calls_.device_get_count, &count);
  if (count < 1) throw DeviceError("the NVIDIA driver finds no GPU");
  devices_.resize(static_cast<size_t>(count));
}

Driver::~Driver() = default;

std::string Driver::name(cuda::Result error) const {
  const char* name = nullptr;
  if (calls_.get_error_name.function(error, &name) != cuda::kSuccess || name == nullptr) {
    return fmt::format("error {}", error);
  }
  return name;
}

void Driver::fail(const char* call, cuda::Result result) const {
  const Failure failure = failure_of(result);
  throw_failure(failure, fmt::format("{} ({}: {})", failure.cause, call, name(result)));
}

Properties Driver::properties(int ordinal) const {
  cuda::DeviceHandle handle = 0;
  run(calls_.device_get, &handle, ordinal);
  const auto attribute = [&](cuda::Attribute which) {
    int value = 0;
    run(calls_.device_get_attribute, &value, static_cast<int>(which), handle);
    return value;
  };
  Properties properties;
  char name[256] = {};
  run(calls_.device_get_name, &name[0], 256, handle);
  properties.name = name;
  run(calls_.device_total_memory, &properties.memory, handle);
  properties.major = attribute(cuda::kMajor);
  properties.minor = attribute(cuda::kMinor);
  properties.multiprocessors = attribute(cuda::kMultiprocessors);
  properties.threads_per_multiprocessor = attribute(cuda::kThreadsPerMultiprocessor);
  properties.shared_per_block = static_cast<size_t>(attribute(cuda::kSharedPerBlock));
  properties.shared_per_multiprocessor = static_cast<size_t>(attribute(cuda::kSharedPerMultiprocessor));
  properties.l2 = static_cast<size_t>(attribute(cuda::kL2Bytes));
  // Twice a clock, as such memories do; a bus has this many bits.
  properties.bandwidth = 2e3 * attribute(cuda::kMemoryClockKhz) * attribute(cuda::kMemoryBusBits) / 8;
  properties.cooperative = attribute(cuda::kCooperativeLaunch) != 0;
  return properties;
}

Device& Driver::device(int ordinal) {
  if (ordinal < 0 || ordinal >= device_count()) {
    throw DeviceError(fmt::format("there is no GPU {}; this machine has {}", ordinal, device_count()));
  }
  const std::lock_guard lock(mutex_);
  auto& device = devices_[static_cast<size_t>(ordinal)];
  if (!device) device = std::make_unique<Device>(*this, ordinal);
  return *device;
}

}  // namespace lanewise::gpu
