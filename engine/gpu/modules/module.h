#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "gpu/stream.h"

namespace lanewise::gpu {

/// The launch configuration of a kernel.
struct Shape {
  uint64_t blocks = 1;
  unsigned threads = 256;    ///< per block
  size_t shared = 0;         ///< dynamic shared memory per block, in bytes
  bool cooperative = false;  ///< all blocks run at once and can wait for each other
};

/// A function of a module that can be launched; valid as long as its module.
class Kernel {
 public:
  /// Launches it with copies of `arguments`, whose types must be exactly those of the kernel's parameters.
  /// Throws at once for an invalid shape; faults of the kernel appear in a later call.
  template <class... Arguments>
  void launch(Stream& stream, const Shape& shape, Arguments... arguments) const {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...));
    void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
    launch_with(stream, shape, &addresses[0]);
  }
  /// The same for any number of parameters of 8 bytes each.
  void launch_words(Stream& stream, const Shape& shape, std::span<const uint64_t> arguments) const;

  /// Blocks of this shape that one multiprocessor runs at once.
  int blocks_per_multiprocessor(unsigned threads, size_t shared) const;
  int registers() const;       ///< per thread
  size_t local_bytes() const;  ///< per thread: spilled registers and local arrays

 private:
  friend class Module;
  Kernel(Device& device, cuda::Function function, std::string name)
      : device_(&device), function_(function), name_(std::move(name)) {}
  int attribute(cuda::FunctionAttribute which) const;
  void allow_shared(size_t bytes) const;
  void launch_with(Stream& stream, const Shape& shape, void** arguments) const;

  Device* device_;
  cuda::Function function_;
  std::string name_;
};

/// Compiled code, loaded into a device. Move-only.
class Module {
 public:
  /// `image`: the result of compile(). Throws DeviceError if it does not fit the device or its driver.
  Module(Device& device, const std::string& image);
  ~Module();
  Module(Module&& other) noexcept;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The `extern "C" __global__` function `name`; InternalError if there is none.
  Kernel kernel(const std::string& name) const;

 private:
  Device* device_;
  cuda::Module module_ = nullptr;
};

}  // namespace lanewise::gpu
