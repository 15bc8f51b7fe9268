#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pram/gpu/emit/emit.h"

namespace lanewise::pram {

/// Memory of a device, freed with the last copy. All kernel arguments have 8 bytes, including handles.
struct Buffer {
  std::shared_ptr<void> held = {};
  uint64_t handle = 0;
  size_t bytes = 0;
};

/// Kernels compiled for a backend's device.
class Code {
 public:
  virtual ~Code() = default;
  /// Launches a kernel in groups of kGroup members, with at least one member for each position.
  virtual void launch(const std::string& kernel, uint64_t positions,
                      std::span<const uint64_t> arguments) const = 0;
  /// How many groups of a kernel are guaranteed to run concurrently, so that they can wait for each other; 0:
  /// none.
  virtual uint64_t groups_together(const std::string& kernel) const = 0;
  /// Launches this many groups, which run concurrently.
  virtual void launch_together(const std::string& kernel, uint64_t groups,
                               std::span<const uint64_t> arguments) const = 0;
};

/// Runs kernels in order. Throws DeviceError, MemoryError.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Dialect dialect() const = 0;
  /// Compiles a source, or finds it in the cache. `quickly`: long kernels would take
  /// long.
  virtual std::unique_ptr<Code> build(const std::string& source, bool quickly = false) = 0;
  /// At least 8 bytes, unspecified.
  virtual Buffer allocate(size_t bytes) = 0;
  virtual void fill(const Buffer& to, unsigned char byte) = 0;
  /// `from` may change after it returns.
  virtual void upload(const Buffer& to, const void* from, size_t bytes) = 0;
  /// Waits for all previous work.
  virtual void download(void* to, const Buffer& from, size_t bytes) = 0;
  virtual void finish() = 0;
  /// Why a whole program cannot run in one group; empty if it can.
  virtual std::string no_group() const { return ""; }
  /// From now on (or no longer) kernels are deferred until a result is needed; a repeated sequence of them
  /// may be launched as one. Deferred kernels are dropped when it ends.
  virtual void replay(bool /*on*/) {}
};

/// The first GPU found by CUDA; once opened, it stays open until the process ends.
Backend& cuda_backend();
/// The first device found by OpenCL, GPUs first.
Backend& opencl_backend();

}  // namespace lanewise::pram
