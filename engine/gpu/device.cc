#include "gpu/device.h"

#include <fmt/format.h>

#include "gpu/error.h"
#include "gpu/failure.h"
#include "gpu/staging.h"

namespace lanewise::gpu {

Device::Current::Current(const Device& device) : calls_(device.driver_.calls()) {
  cuda::Context now = nullptr;
  if (calls_.context_get_current.function(&now) == cuda::kSuccess && now == device.context_) return;
  // A failure shows in the call that follows: it runs in no context or in another's, whose objects are not
  // ours.
  pushed_ = calls_.context_push.function(device.context_) == cuda::kSuccess;
}

Device::Current::~Current() {
  cuda::Context popped = nullptr;
  if (pushed_) calls_.context_pop.function(&popped);
}

Device::Device(Driver& driver, int ordinal)
    : driver_(driver), ordinal_(ordinal), properties_(driver.properties(ordinal)) {
  const auto check = [&](const char* call, cuda::Result result) {
    if (result != cuda::kSuccess) fail(call, result);
  };
  check("cuDeviceGet", driver.calls().device_get.function(&handle_, ordinal));
  int pools = 0;
  check("cuDeviceGetAttribute",
        driver.calls().device_get_attribute.function(&pools, cuda::kMemoryPools, handle_));
  if (pools == 0)
    throw DeviceError(fmt::format("GPU {} ({}) has no memory pools", ordinal, properties_.name));
  check("cuDevicePrimaryCtxRetain", driver.calls().primary_context_retain.function(&context_, handle_));
}

Device::~Device() {
  staging_.reset();
  driver_.calls().primary_context_release.function(handle_);
}

Staging& Device::staging() {
  const std::lock_guard lock(mutex_);
  if (!staging_) staging_ = std::make_unique<Staging>(*this);
  return *staging_;
}

size_t Device::free_memory() {
  size_t free = 0, total = 0;
  run(&cuda::Calls::memory_info, &free, &total);
  return free;
}

Device::FetchSectors::FetchSectors(Device& device) : device_(device) {
  const std::lock_guard lock(device.mutex_);
  if (device.sector_fetchers_++ != 0) return;
  device.fetched_before_ = 0;
  device.release(&cuda::Calls::context_get_limit, &device.fetched_before_, cuda::kFetchGranularity);
  device.release(&cuda::Calls::context_set_limit, cuda::kFetchGranularity, size_t{32});
}

Device::FetchSectors::~FetchSectors() {
  const std::lock_guard lock(device_.mutex_);
  if (--device_.sector_fetchers_ != 0 || device_.fetched_before_ == 0) return;
  size_t now = 0;
  device_.release(&cuda::Calls::context_get_limit, &now, cuda::kFetchGranularity);
  if (now != 32) return;  // another library has changed it since
  device_.release(&cuda::Calls::context_set_limit, cuda::kFetchGranularity, device_.fetched_before_);
}

void Device::synchronize() { run(&cuda::Calls::context_synchronize); }

void Device::fail(const char* call, cuda::Result result) {
  const Failure failure = failure_of(result);
  std::string message =
      fmt::format("GPU {}: {} ({}: {})", ordinal_, failure.cause, call, driver_.name(result));
  if (failure.lost()) {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = message;
    lost_.store(true, std::memory_order_release);
    message += "; the GPU is lost to this process";
  }
  throw_failure(failure, message);
}

void Device::throw_lost() {
  const std::lock_guard lock(mutex_);
  throw DeviceError(
      fmt::format("GPU {} is lost to this process, which must be started again. {}", ordinal_, fault_));
}

}  // namespace lanewise::gpu
