#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/memory.h"
#include "gpu/stream.h"

namespace lanewise::gpu {

/// Memory of a device; returned to its pool after the work given to its stream until then.
/// Move-only.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Memory owned by `owner`, which must wait for its users before it frees the memory. It may be
  /// used in any stream, and counts in no budget.
  static DeviceBuffer wrap(cuda::Address address, size_t bytes, std::shared_ptr<const void> owner);
  ~DeviceBuffer() { reset(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  cuda::Address address() const { return address_; }
  size_t size() const { return size_; }
  /// Like size(), but 0 for memory of other owners.
  size_t own_size() const { return stream_ ? size_ : 0; }
  explicit operator bool() const { return address_ != 0; }
  /// Frees the memory now.
  void reset() noexcept;

 private:
  friend class DevicePool;
  std::optional<Stream> stream_;
  cuda::Address address_ = 0;
  size_t size_ = 0;
  Reservation held_;
  std::shared_ptr<const void> owner_;  // set for memory of other owners
};

/// What the driver reports about an address.
struct Allocation {
  bool known = false;       ///< it belongs to CUDA: device, managed or pinned memory
  int device = -1;          ///< ordinal of the device that has the memory; negative: the host
  cuda::Address begin = 0;  ///< start of the allocation that contains it
  size_t bytes = 0;         ///< of the allocation, perhaps partly unmapped; 0: the driver does not report it
  bool mapped = false;      ///< the address has memory

  /// Bytes of the allocation from `address` on; SIZE_MAX if the driver does not report it.
  size_t bytes_from(cuda::Address address) const {
    return bytes == 0 ? SIZE_MAX : static_cast<size_t>(begin + bytes - address);
  }
};
Allocation find_allocation(Device& device, cuda::Address address);

/// A device's memory under a budget. Freed memory is kept for the next request, up to the budget; large
/// pieces are assembled from small ones to avoid fragmentation. Thread-safe; outlives its buffers.
///
/// Memory follows the order of the stream that it was allocated for. Use it there, or in a stream that
/// waits for a later event of that stream; and let that stream wait for other users before the buffer is
/// destroyed.
class DevicePool {
 public:
  /// Up to `limit` bytes; 0: 15/16 of the device's memory, as contexts and kernels need the rest.
  explicit DevicePool(Device& device, size_t limit = 0);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  /// `bytes` bytes and kPadding readable ones after them, unspecified, 256-byte aligned. `what` (a string
  /// literal) names the caller. Throws MemoryError with the sizes, after caches (the budget's reclaimers)
  /// have freed what they could.
  DeviceBuffer allocate(size_t bytes, const Stream& stream, std::string_view what);

  Device& device() const { return device_; }
  /// Counts memory in use, not freed memory that is kept.
  MemoryBudget& budget() { return budget_; }
  /// Bytes taken from the device: in use or kept.
  size_t held();
  /// Returns unused memory to the device; waits for the device first.
  void trim();

 private:
  bool try_allocate(size_t bytes, const Stream& stream, cuda::Address& address);

  Device& device_;
  MemoryBudget budget_;
  cuda::MemoryPool pool_ = nullptr;
};

/// Host memory that the device reads and writes at full speed while the host continues. It cannot be swapped
/// out, so it is scarce: for transfer buffers. Move-only.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  /// Charged to `budget` (null: to none). Throws MemoryError.
  PinnedBuffer(Device& device, size_t bytes, MemoryBudget* budget, std::string_view what);
  ~PinnedBuffer() { reset(); }
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;

  uint8_t* data() const { return data_; }
  size_t size() const { return held_.bytes(); }

 private:
  void reset() noexcept;

  Device* device_ = nullptr;
  uint8_t* data_ = nullptr;
  Reservation held_;
};

}  // namespace lanewise::gpu
