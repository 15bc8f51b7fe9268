#include "gpu/opencl/opencl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/size.h"
#include "gpu/error.h"

namespace lanewise::gpu {

namespace {

std::string library_name() {
  const char* const named = std::getenv("LANEWISE_OPENCL");
  return named != nullptr ? named : "libOpenCL.so.1";
}

/// Handles are passed as words.
static_assert(sizeof(opencl::Memory) == sizeof(uint64_t));

}  // namespace

OpenClDevice& OpenClDevice::system() {
  static OpenClDevice& device = *new OpenClDevice(library_name());
  return device;
}

OpenClDevice::OpenClDevice(const std::string& library) : library_({library}, "OpenCL"), calls_(library_) {
  choose();
  name_ = text_of(device_, opencl::kName);
  check(calls_.device_info.function(device_, opencl::kLargestBuffer, sizeof(largest_buffer_),
                                    &largest_buffer_, nullptr),
        calls_.device_info.symbol);
  opencl::Result result = 0;
  context_ = calls_.create_context.function(nullptr, 1, &device_, nullptr, nullptr, &result);
  check(result, calls_.create_context.symbol);
  queue_ = calls_.create_queue.function(context_, device_, 0, &result);
  check(result, calls_.create_queue.symbol);
}

void OpenClDevice::check(opencl::Result result, const char* call) const {
  switch (result) {
    case opencl::kSuccess:
      return;
    case opencl::kAllocationFailure:
    case opencl::kOutOfResources:
    case opencl::kOutOfHostMemory:
    case opencl::kInvalidBufferSize:
      throw MemoryError(fmt::format("{} has too little memory ({}: error {})",
                                    name_.empty() ? "OpenCL" : name_, call, result));
    default:
      throw DeviceError(fmt::format("OpenCL failed ({}: error {})", call, result));
  }
}

std::string OpenClDevice::text_of(opencl::DeviceId device, opencl::DeviceInfo what) const {
  size_t size = 0;
  check(calls_.device_info.function(device, what, 0, nullptr, &size), calls_.device_info.symbol);
  std::string text(size, '\0');
  check(calls_.device_info.function(device, what, size, text.data(), nullptr), calls_.device_info.symbol);
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

bool OpenClDevice::is_fit(opencl::DeviceId device) const {
  const std::string extensions = text_of(device, opencl::kExtensions);
  const auto has = [&](const char* name) { return extensions.find(name) != std::string::npos; };
  return has("cl_khr_fp64") && has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics");
}

void OpenClDevice::choose() {
  uint32_t count = 0;
  // Loaders report an error if there is no platform.
  if (calls_.platforms.function(0, nullptr, &count) != opencl::kSuccess || count == 0) {
    throw DeviceError(
        "no OpenCL platform found; install one (Debian: pocl-opencl-icd runs kernels on cores)");
  }
  std::vector<opencl::Platform> platforms(count);
  check(calls_.platforms.function(count, platforms.data(), nullptr), calls_.platforms.symbol);
  for (const uint64_t kind : {opencl::kGpus, opencl::kAllDevices}) {
    for (const opencl::Platform platform : platforms) {
      uint32_t found = 0;
      if (calls_.devices.function(platform, kind, 0, nullptr, &found) != opencl::kSuccess) continue;
      std::vector<opencl::DeviceId> devices(found);
      check(calls_.devices.function(platform, kind, found, devices.data(), nullptr), calls_.devices.symbol);
      const auto fit =
          std::find_if(devices.begin(), devices.end(), [&](opencl::DeviceId id) { return is_fit(id); });
      if (fit == devices.end()) continue;
      device_ = *fit;
      is_gpu_ = kind == opencl::kGpus;
      return;
    }
  }
  throw DeviceError("OpenCL has no device with doubles and 64-bit atomics");
}

std::shared_ptr<opencl::MemoryObject> OpenClDevice::allocate(size_t bytes) {
  // A driver may promise what it does not have, and fail when it is used.
  if (bytes > largest_buffer_)
    throw MemoryError(fmt::format("{} has no {} in one piece, but {}", name_, format_size(bytes),
                                  format_size(largest_buffer_)));
  opencl::Result result = 0;
  const opencl::Memory memory =
      calls_.create_buffer.function(context_, opencl::kReadWrite, bytes, nullptr, &result);
  check(result, calls_.create_buffer.symbol);
  return {memory, [this](opencl::Memory old) { calls_.release_memory.function(old); }};
}

void OpenClDevice::fill(opencl::Memory to, unsigned char byte, size_t bytes) {
  if (bytes == 0) return;
  check(calls_.fill.function(queue_, to, &byte, 1, 0, bytes, 0, nullptr, nullptr), calls_.fill.symbol);
}

void OpenClDevice::upload(opencl::Memory to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  check(calls_.write.function(queue_, to, opencl::kBlocking, 0, bytes, from, 0, nullptr, nullptr),
        calls_.write.symbol);
}

void OpenClDevice::download(void* to, opencl::Memory from, size_t bytes) {
  if (bytes == 0) return;
  check(calls_.read.function(queue_, from, opencl::kBlocking, 0, bytes, to, 0, nullptr, nullptr),
        calls_.read.symbol);
}

void OpenClDevice::finish() { check(calls_.finish.function(queue_), calls_.finish.symbol); }

std::unique_ptr<OpenClDevice::Program> OpenClDevice::build(const std::string& source) {
  const char* text = source.c_str();
  const size_t size = source.size();
  opencl::Result result = 0;
  const opencl::Program program = calls_.create_program.function(context_, 1, &text, &size, &result);
  check(result, calls_.create_program.symbol);
  auto made = std::make_unique<Program>(*this, program);
  // Without warnings, which some compilers print.
  if (calls_.build_program.function(program, 1, &device_, "-w", nullptr, nullptr) != opencl::kSuccess) {
    size_t length = 0;
    calls_.build_info.function(program, device_, opencl::kBuildLog, 0, nullptr, &length);
    std::string log(length, '\0');
    calls_.build_info.function(program, device_, opencl::kBuildLog, length, log.data(), nullptr);
    throw InternalError("OpenCL cannot compile a kernel of ours:\n" + log);
  }
  return made;
}

OpenClDevice::Program::~Program() {
  for (const opencl::Kernel kernel : kernels_) device_.calls_.release_kernel.function(kernel);
  device_.calls_.release_program.function(program_);
}

opencl::Kernel OpenClDevice::Program::kernel(const std::string& name) {
  opencl::Result result = 0;
  const opencl::Kernel kernel = device_.calls_.create_kernel.function(program_, name.c_str(), &result);
  if (result != opencl::kSuccess) throw InternalError("a program of OpenCL has no kernel " + name);
  kernels_.push_back(kernel);
  return kernel;
}

void OpenClDevice::Program::launch(opencl::Kernel kernel, size_t groups, size_t members,
                                   std::span<const uint64_t> arguments) {
  if (groups == 0) return;
  const opencl::Calls& calls = device_.calls_;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    device_.check(calls.set_argument.function(kernel, i, sizeof(uint64_t), &arguments[i]),
                  calls.set_argument.symbol);
  }
  const size_t all = groups * members;
  device_.check(
      calls.launch.function(device_.queue_, kernel, 1, nullptr, &all, &members, 0, nullptr, nullptr),
      calls.launch.symbol);
}

}  // namespace lanewise::gpu
