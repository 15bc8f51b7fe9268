#include "gpu/modules/module.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.h"

namespace lanewise::gpu {

int Kernel::attribute(cuda::FunctionAttribute which) const {
  int value = 0;
  device_->run(&cuda::Calls::function_get_attribute, &value, static_cast<int>(which), function_);
  return value;
}

int Kernel::registers() const { return attribute(cuda::kRegisters); }

size_t Kernel::local_bytes() const { return static_cast<size_t>(attribute(cuda::kLocalBytes)); }

void Kernel::allow_shared(size_t bytes) const {
  constexpr size_t kAlways = 48 * 1024;  // static and dynamic together; more has to be allowed
  if (bytes + static_cast<size_t>(attribute(cuda::kStaticShared)) <= kAlways) return;
  if (bytes > static_cast<size_t>(attribute(cuda::kDynamicSharedLimit))) {
    device_->run(&cuda::Calls::function_set_attribute, function_, static_cast<int>(cuda::kDynamicSharedLimit),
                 static_cast<int>(bytes));
  }
}

int Kernel::blocks_per_multiprocessor(unsigned threads, size_t shared) const {
  allow_shared(shared);
  int blocks = 0;
  device_->run(&cuda::Calls::occupancy, &blocks, function_, static_cast<int>(threads), shared);
  return blocks;
}

void Kernel::launch_with(Stream& stream, const Shape& shape, void** arguments) const {
  if (shape.blocks > 0x7fffffff || shape.shared > device_->properties().shared_per_block) {
    throw InternalError(fmt::format("kernel {}: {} blocks with {} bytes of shared memory are too many", name_,
                                    shape.blocks, shape.shared));
  }
  if (shape.blocks == 0) return;
  if (shape.shared != 0) allow_shared(shape.shared);
  const auto blocks = static_cast<unsigned>(shape.blocks);
  const auto shared = static_cast<unsigned>(shape.shared);
  if (shape.cooperative) {
    device_->run(&cuda::Calls::launch_cooperative, function_, blocks, 1u, 1u, shape.threads, 1u, 1u, shared,
                 stream.handle(), arguments);
  } else {
    device_->run(&cuda::Calls::launch, function_, blocks, 1u, 1u, shape.threads, 1u, 1u, shared,
                 stream.handle(), arguments, static_cast<void**>(nullptr));
  }
}

void Kernel::launch_words(Stream& stream, const Shape& shape, std::span<const uint64_t> arguments) const {
  std::vector<uint64_t> copies(arguments.begin(), arguments.end());
  std::vector<void*> addresses;
  for (uint64_t& argument : copies) addresses.push_back(&argument);
  launch_with(stream, shape, addresses.data());
}

Module::Module(Device& device, const std::string& image) : device_(&device) {
  device.run(&cuda::Calls::module_load, &module_, static_cast<const void*>(image.data()));
}

Module::~Module() {
  if (module_ != nullptr) device_->release(&cuda::Calls::module_unload, module_);
}

Module::Module(Module&& other) noexcept
    : device_(other.device_), module_(std::exchange(other.module_, nullptr)) {}

Kernel Module::kernel(const std::string& name) const {
  cuda::Function function = nullptr;
  device_->run(&cuda::Calls::module_get_function, &function, module_, name.c_str());
  return Kernel(*device_, function, name);
}

}  // namespace lanewise::gpu
