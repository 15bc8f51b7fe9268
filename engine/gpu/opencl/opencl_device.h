#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/opencl/opencl.h"

namespace lanewise::gpu {

/// An OpenCL device with its context and one in-order queue. Found and opened at
/// run time. For one thread at a time; it outlives everything made on it.
class OpenClDevice {
 public:
  /// This machine's device: the first GPU of any platform, else the first device that has doubles and 64-bit
  /// atomics. LANEWISE_OPENCL names the library's file if the loader does not find it. Opened by the first
  /// call; it stays open until the process ends. Throws DeviceError that says why there is none.
  static OpenClDevice& system();
  /// Opens `library`: for tests; others use system().
  explicit OpenClDevice(const std::string& library);

  const std::string& name() const { return name_; }
  bool is_gpu() const { return is_gpu_; }

  class Program;

  /// `bytes` of its memory, unspecified; the last copy frees them. Throws MemoryError.
  std::shared_ptr<opencl::MemoryObject> allocate(size_t bytes);
  void fill(opencl::Memory to, unsigned char byte, size_t bytes);
  /// `from` may change after it returns.
  void upload(opencl::Memory to, const void* from, size_t bytes);
  /// Waits for all previous work.
  void download(void* to, opencl::Memory from, size_t bytes);
  void finish();

  /// Throws InternalError with the compiler's log, since sources are ours.
  std::unique_ptr<Program> build(const std::string& source);

 private:
  void check(opencl::Result result, const char* call) const;
  std::string text_of(opencl::DeviceId device, opencl::DeviceInfo what) const;
  bool is_fit(opencl::DeviceId device) const;
  void choose();

  const Library library_;
  const opencl::Calls calls_;
  opencl::DeviceId device_ = nullptr;
  opencl::Context context_ = nullptr;
  opencl::Queue queue_ = nullptr;
  std::string name_;
  bool is_gpu_ = false;
  uint64_t largest_buffer_ = 0;  // bytes
};

/// Compiled kernels.
class OpenClDevice::Program {
 public:
  Program(OpenClDevice& device, opencl::Program program) : device_(device), program_(program) {}
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// InternalError if there is no kernel of this name. It lives as long as the program.
  opencl::Kernel kernel(const std::string& name);
  /// Launches `groups` groups of `members`; arguments are words or memory.
  void launch(opencl::Kernel kernel, size_t groups, size_t members, std::span<const uint64_t> arguments);

 private:
  OpenClDevice& device_;
  opencl::Program program_;
  std::vector<opencl::Kernel> kernels_;
};

}  // namespace lanewise::gpu
