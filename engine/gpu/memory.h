#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/memory.h"
#include "gpu/stream.h"

namespace lanewise::gpu {

/// Memory of a device; goes back to its pool, after the work that its stream has been given by then.
/// Move-only.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Memory of others that `owner` keeps alive, which waits for its users before it lets it go. It may be
  /// used in any stream, and is in no budget.
  static DeviceBuffer wrap(cuda::Address address, size_t bytes, std::shared_ptr<const void> owner);
  ~DeviceBuffer() { reset(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  cuda::Address address() const { return address_; }
  size_t size() const { return size_; }
  /// As size(), but 0 of others' memory.
  size_t own_size() const { return stream_ ? size_ : 0; }
  explicit operator bool() const { return address_ != 0; }
  /// Gives the memory back now.
  void reset() noexcept;

 private:
  friend class DevicePool;
  std::optional<Stream> stream_;
  cuda::Address address_ = 0;
  size_t size_ = 0;
  Reservation held_;
  std::shared_ptr<const void> owner_;  // of others' memory
};

/// What the driver knows of an address.
struct Allocation {
  bool known = false;       ///< it is CUDA's: of a device, managed, or pinned
  int device = -1;          ///< the ordinal of the device whose memory it is; negative: it is the host's
  cuda::Address begin = 0;  ///< of the allocation that it lies in
  size_t bytes = 0;     ///< of that, some of which may be reserved alone; 0: the driver does not report it
  bool mapped = false;  ///< the address has memory

  /// Bytes of the allocation from `address` on; as many as one likes where the driver does not report it.
  size_t bytes_from(cuda::Address address) const {
    return bytes == 0 ? SIZE_MAX : static_cast<size_t>(begin + bytes - address);
  }
};
Allocation find_allocation(Device& device, cuda::Address address);

/// A device's memory under a budget. What is given back is kept for the next request, up to the budget; large
/// pieces are made of small ones, so that it does not fall to pieces. Thread-safe; outlives its buffers.
///
/// Memory belongs to the order of the stream that it was allocated for: use it there, or in a stream that
/// waits for an event recorded there since; and let that stream wait for other users before the buffer ends.
class DevicePool {
 public:
  /// May hold `limit` bytes; 0: all but a sixteenth of the device's memory, which contexts and kernels need.
  explicit DevicePool(Device& device, size_t limit = 0);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  /// `bytes` and kPadding readable ones after them, unspecified, 256-byte aligned. `what` (a string literal)
  /// names the caller. Throws MemoryError with the sizes, after caches (the budget's reclaimers) gave what
  /// they could.
  DeviceBuffer allocate(size_t bytes, const Stream& stream, std::string_view what);

  Device& device() const { return device_; }
  /// Counts what is in use, not what is only kept.
  MemoryBudget& budget() { return budget_; }
  /// Bytes taken from the device: in use or kept.
  size_t held();
  /// Gives back to the device what is not in use; waits for the device first.
  void trim();

 private:
  bool try_allocate(size_t bytes, const Stream& stream, cuda::Address& address);

  Device& device_;
  MemoryBudget budget_;
  cuda::MemoryPool pool_ = nullptr;
};

/// Host memory that the device reads and writes at full speed while the host goes on. It cannot be swapped
/// out, so it is dear: for buffers through which data flows. Move-only.
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
