#include "gpu/memory.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/size.h"

namespace lanewise::gpu {

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : stream_(std::move(other.stream_)),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)),
      held_(std::move(other.held_)),
      owner_(std::move(other.owner_)) {}

DeviceBuffer DeviceBuffer::wrap(cuda::Address address, size_t bytes, std::shared_ptr<const void> owner) {
  DeviceBuffer buffer;
  buffer.address_ = address;
  buffer.size_ = bytes;
  buffer.owner_ = std::move(owner);
  return buffer;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this != &other) {
    reset();
    stream_ = std::move(other.stream_);
    address_ = std::exchange(other.address_, 0);
    size_ = std::exchange(other.size_, 0);
    held_ = std::move(other.held_);
    owner_ = std::move(other.owner_);
  }
  return *this;
}

void DeviceBuffer::reset() noexcept {
  if (address_ == 0) return;
  if (stream_) stream_->device().release(&cuda::Calls::memory_free, address_, stream_->handle());
  owner_.reset();
  address_ = 0;
  size_ = 0;
  held_.resize(0);
  stream_.reset();
}

Allocation find_allocation(Device& device, cuda::Address address) {
  Allocation found;
  unsigned type = 0;
  int ordinal = -1, mapped = 0;
  const int wanted[] = {cuda::kMemoryType, cuda::kPointerDevice, cuda::kRangeBegin, cuda::kRangeBytes,
                        cuda::kMapped};
  void* values[] = {&type, &ordinal, &found.begin, &found.bytes, &mapped};
  device.run(&cuda::Calls::pointer_get_attributes, 5u, static_cast<const int*>(wanted),
             static_cast<void**>(values), address);
  found.known = type != 0;
  found.mapped = mapped != 0;
  if (type == cuda::kDeviceMemory) found.device = ordinal;
  return found;
}

DevicePool::DevicePool(Device& device, size_t limit)
    : device_(device),
      budget_(limit != 0 ? limit : device.properties().memory / 16 * 15,
              "raise the limit of the GPU's memory") {
  cuda::PoolProperties properties;
  properties.location.id = device.ordinal();
  device.run(&cuda::Calls::pool_create, &pool_, &properties);
  unsigned long long keep = budget_.limit();
  try {
    device.run(&cuda::Calls::pool_set_attribute, pool_, static_cast<int>(cuda::kReleaseThreshold),
               static_cast<void*>(&keep));
  } catch (...) {
    device.release(&cuda::Calls::pool_destroy, pool_);
    throw;
  }
}

DevicePool::~DevicePool() { device_.release(&cuda::Calls::pool_destroy, pool_); }

bool DevicePool::try_allocate(size_t bytes, const Stream& stream, cuda::Address& address) {
  return device_.try_run(&cuda::Calls::memory_allocate, &address, bytes, pool_, stream.handle()) ==
         cuda::kSuccess;
}

DeviceBuffer DevicePool::allocate(size_t bytes, const Stream& stream, std::string_view what) {
  const size_t size = (bytes + kPadding + 511) / 512 * 512;  // what an allocation takes
  DeviceBuffer buffer;
  buffer.held_ = Reservation(&budget_, what);
  buffer.held_.resize(size);
  if (!try_allocate(size, stream, buffer.address_)) {
    // The device is full: of what we keep, of what caches hold, or of other processes.
    trim();
    if (!try_allocate(size, stream, buffer.address_)) {
      budget_.reclaim(size);
      trim();
      if (!try_allocate(size, stream, buffer.address_)) {
        throw MemoryError(
            fmt::format("{} needs {} on GPU {}, which has {} of {} free; {} are in use here", what,
                        format_size(size), device_.ordinal(), format_size(device_.free_memory()),
                        format_size(device_.properties().memory), format_size(budget_.used() - size)));
      }
    }
  }
  buffer.stream_ = stream;
  buffer.size_ = bytes;
  return buffer;
}

size_t DevicePool::held() {
  unsigned long long bytes = 0;
  device_.run(&cuda::Calls::pool_get_attribute, pool_, static_cast<int>(cuda::kReservedBytes),
              static_cast<void*>(&bytes));
  return bytes;
}

void DevicePool::trim() {
  device_.synchronize();
  device_.run(&cuda::Calls::pool_trim, pool_, size_t{0});
}

PinnedBuffer::PinnedBuffer(Device& device, size_t bytes, MemoryBudget* budget, std::string_view what)
    : device_(&device), held_(budget, what) {
  held_.resize(bytes);
  void* data = nullptr;
  if (device.try_run(&cuda::Calls::host_allocate, &data, bytes, cuda::kPortable) != cuda::kSuccess) {
    throw MemoryError(fmt::format("{}: the system has no {} of memory to pin", what, format_size(bytes)));
  }
  data_ = static_cast<uint8_t*>(data);
}

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : device_(other.device_), data_(std::exchange(other.data_, nullptr)), held_(std::move(other.held_)) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  if (this != &other) {
    reset();
    device_ = other.device_;
    data_ = std::exchange(other.data_, nullptr);
    held_ = std::move(other.held_);
  }
  return *this;
}

void PinnedBuffer::reset() noexcept {
  if (data_ != nullptr) device_->release(&cuda::Calls::host_free, static_cast<void*>(data_));
  data_ = nullptr;
}

}  // namespace lanewise::gpu
