#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/driver.h"

namespace lanewise::gpu {

class Staging;

/// A GPU and its context, which it shares with other CUDA users of the process. Returned by Driver::device().
/// Everything made on it (streams, memory, modules) must be destroyed before its driver.
///
/// Thread-safe, like all calls on a device in this folder: any thread may make any call, and the
/// thread's previous context is current again when the call returns.
///
/// After a fault the device is **lost**: the call that detects it throws the cause, every later call
/// throws DeviceError, and destructors free nothing. Only a new process can use the GPU again.
class Device {
 public:
  /// As Driver::device().
  Device(Driver& driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Driver& driver() const { return driver_; }
  int ordinal() const { return ordinal_; }
  const Properties& properties() const { return properties_; }
  bool lost() const { return lost_.load(std::memory_order_acquire); }

  /// Bytes that no process has allocated.
  size_t free_memory();
  /// Waits for all work of the device.
  void synchronize();
  /// For copies by objects that come and go, on which pinned memory of their own would be wasted. It is made
  /// on first use, kept, and charged to no budget.
  Staging& staging();

  /// While an object exists, the device reads from memory only the 32-byte sectors that a kernel
  /// touches: best if few bytes of each string are read. Devices may ignore it. Other libraries of
  /// the process use the same context: the last object restores the previous setting.
  class FetchSectors {
   public:
    explicit FetchSectors(Device& device);
    ~FetchSectors();
    FetchSectors(const FetchSectors&) = delete;
    FetchSectors& operator=(const FetchSectors&) = delete;

   private:
    Device& device_;
  };

  /// Calls the driver with this device's context: device.run(&cuda::Calls::stream_create, &stream, flags).
  /// Throws DeviceError, MemoryError or InternalError with the call, its error and the cause.
  template <class... Parameters, class... Arguments>
  void run(const cuda::Call<Parameters...> cuda::Calls::* call, Arguments... arguments) {
    if (const cuda::Result result = attempt(call, arguments...); result != cuda::kSuccess) {
      fail((driver_.calls().*call).symbol, result);
    }
  }
  /// The same for `work`, named `name` in messages: a library that calls the driver by itself, and
  /// returns its error.
  template <class Work>
  void run(const char* name, Work&& work) {
    if (lost()) throw_lost();
    const Current current(*this);
    if (const cuda::Result result = work(); result != cuda::kSuccess) fail(name, result);
  }
  /// Like the first, but returns out of memory and "not ready yet" instead of throwing them.
  template <class... Parameters, class... Arguments>
  cuda::Result try_run(const cuda::Call<Parameters...> cuda::Calls::* call, Arguments... arguments) {
    const cuda::Result result = attempt(call, arguments...);
    if (result != cuda::kSuccess && result != cuda::kOutOfMemory && result != cuda::kNotReady) {
      fail((driver_.calls().*call).symbol, result);
    }
    return result;
  }
  /// For destructors: does nothing on a lost device, and ignores the outcome.
  template <class... Parameters, class... Arguments>
  void release(const cuda::Call<Parameters...> cuda::Calls::* call, Arguments... arguments) noexcept {
    if (lost()) return;
    const Current current(*this);
    (driver_.calls().*call).function(arguments...);
  }

  /// Makes the device's context current for the thread. Every call does so by itself; several calls are
  /// faster within one.
  class Current {
   public:
    explicit Current(const Device& device);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const cuda::Calls& calls_;
    bool pushed_ = false;
  };

 private:
  template <class... Parameters, class... Arguments>
  cuda::Result attempt(const cuda::Call<Parameters...> cuda::Calls::* call, Arguments... arguments) {
    if (lost()) throw_lost();
    const Current current(*this);
    return (driver_.calls().*call).function(arguments...);
  }
  [[noreturn]] void fail(const char* call, cuda::Result result);
  [[noreturn]] void throw_lost();

  Driver& driver_;
  const int ordinal_;
  const Properties properties_;
  cuda::DeviceHandle handle_ = 0;
  cuda::Context context_ = nullptr;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::string fault_;          // why it is lost
  int sector_fetchers_ = 0;    // number of FetchSectors objects
  size_t fetched_before_ = 0;  // bytes; 0: not known
  std::unique_ptr<Staging> staging_;
};

}  // namespace lanewise::gpu
