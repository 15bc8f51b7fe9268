#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pram/gpu/emit/emit.h"

namespace lanewise::pram {

/// Memory of a device; the last copy gives it back. Arguments of kernels are 8 bytes, so are handles.
struct Buffer {
  std::shared_ptr<void> held = {};
  uint64_t handle = 0;
  size_t bytes = 0;
};

inline constexpr uint64_t kGroup = 256;  ///< members of a group

/// Kernels compiled for a backend's device.
class Code {
 public:
  virtual ~Code() = default;
  /// Launches a kernel in groups of kGroup members, one at least for each position.
  virtual void launch(const std::string& kernel, uint64_t positions,
                      std::span<const uint64_t> arguments) const = 0;
  /// How many groups of a kernel surely run at the same time, so that they can wait for each other; 0: none.
  virtual uint64_t groups_together(const std::string& kernel) const = 0;
  /// Launches so many groups, which run at the same time.
  virtual void launch_together(const std::string& kernel, uint64_t groups,
                               std::span<const uint64_t> arguments) const = 0;
};

/// What runs kernels: all that is requested of it is done in order. Throws DeviceError, MemoryError.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Dialect dialect() const = 0;
  /// Compiles a source, or finds it among those that it compiled before. `quickly`: long kernels would take
  /// long.
  virtual std::unique_ptr<Code> build(const std::string& source, bool quickly = false) = 0;
  /// At least 8 bytes, unspecified.
  virtual Buffer allocate(size_t bytes) = 0;
  virtual void fill(const Buffer& to, unsigned char byte) = 0;
  /// `from` may change when it returns.
  virtual void upload(const Buffer& to, const void* from, size_t bytes) = 0;
  /// Waits for all work so far.
  virtual void download(void* to, const Buffer& from, size_t bytes) = 0;
  virtual void finish() = 0;
  /// Why a whole program cannot run in one group; empty where it can.
  virtual std::string no_group() const { return ""; }
  /// From now on (or no longer) kernels wait until a result is needed; the same ones as before may then be
  /// launched as one. What waits when that ends is not done.
  virtual void replay(bool /*on*/) {}
};

/// The first GPU that CUDA finds; opened once, it stays until the process ends.
Backend& cuda_backend();
/// The first device that OpenCL finds, GPUs before others.
Backend& opencl_backend();

}  // namespace lanewise::pram
