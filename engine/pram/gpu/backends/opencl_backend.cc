#include <unordered_map>

#include "base/error.h"
#include "gpu/opencl/opencl_device.h"
#include "pram/gpu/backends/backend.h"

namespace lanewise::pram {

namespace {

using gpu::OpenClDevice;

class OpenClCode : public Code {
 public:
  explicit OpenClCode(std::unique_ptr<OpenClDevice::Program> program) : program_(std::move(program)) {}

  void launch(const std::string& name, uint64_t positions,
              std::span<const uint64_t> arguments) const override {
    auto found = kernels_.find(name);
    if (found == kernels_.end()) found = kernels_.emplace(name, program_->kernel(name)).first;
    program_->launch(found->second, (positions + kGroup - 1) / kGroup, kGroup, arguments);
  }

  uint64_t groups_together(const std::string& /*name*/) const override { return 0; }
  void launch_together(const std::string& name, uint64_t /*groups*/,
                       std::span<const uint64_t> /*arguments*/) const override {
    throw InternalError("OpenCL does not know which groups of " + name + " run at the same time");
  }

 private:
  std::unique_ptr<OpenClDevice::Program> program_;
  mutable std::unordered_map<std::string, gpu::opencl::Kernel> kernels_;
};

class OpenClBackend : public Backend {
 public:
  OpenClBackend() : device_(OpenClDevice::system()) {}

  Dialect dialect() const override { return Dialect::kOpenCl; }

  std::unique_ptr<Code> build(const std::string& source, bool /*quickly*/) override {
    return std::make_unique<OpenClCode>(device_.build(source));
  }

  Buffer allocate(size_t bytes) override {
    auto held = device_.allocate(std::max(bytes, sizeof(uint64_t)));
    const auto handle = reinterpret_cast<uint64_t>(held.get());
    return {std::move(held), handle, bytes};
  }

  void fill(const Buffer& to, unsigned char byte) override { device_.fill(memory_of(to), byte, to.bytes); }
  void upload(const Buffer& to, const void* from, size_t bytes) override {
    device_.upload(memory_of(to), from, bytes);
  }
  void download(void* to, const Buffer& from, size_t bytes) override {
    device_.download(to, memory_of(from), bytes);
  }
  void finish() override { device_.finish(); }
  std::string no_group() const override {
    if (device_.is_gpu()) return "";
    // PoCL 3.1's compiler crashes on long kernels with barriers.
    return "one group runs on a GPU only, and the OpenCL device '" + device_.name() +
           "' is not a GPU; leave out one group";
  }

 private:
  static gpu::opencl::Memory memory_of(const Buffer& buffer) {
    return static_cast<gpu::opencl::Memory>(buffer.held.get());
  }

  OpenClDevice& device_;
};

}  // namespace

Backend& opencl_backend() {
  static auto* const backend = new OpenClBackend();  // like the device, it is never destroyed
  return *backend;
}

}  // namespace lanewise::pram
