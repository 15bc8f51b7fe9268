#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

class Reservation;
class SpillFile;

/// Registers a function that frees memory for a budget, for the lifetime of this object.
class Reclaimer {
 public:
  Reclaimer() = default;
  Reclaimer(Reclaimer&&) noexcept = default;
  Reclaimer& operator=(Reclaimer&&) = delete;
  ~Reclaimer();  ///< waits until no other thread calls it

 private:
  friend class MemoryBudget;
  struct Entry;
  explicit Reclaimer(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}

  std::shared_ptr<Entry> entry_;
};

/// A limit on the total memory of everything that grows with the data. Thread-safe.
class MemoryBudget {
 public:
  /// `raise` says how to raise the limit, at the end of a MemoryError's message.
  explicit MemoryBudget(size_t limit = SIZE_MAX, std::string_view raise = "raise --memory-limit")
      : limit_(limit), raise_(raise) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Reserves `bytes`, or throws MemoryError that names `what` (the operator) and the limit. Before it
  /// throws, it calls the reclaimers (caches) to release memory.
  void reserve(size_t bytes, std::string_view what);
  /// Reserves `bytes` if they are free now; no reclaiming, no error.
  bool try_reserve(size_t bytes) { return try_reserve(bytes, limit()); }
  void release(size_t bytes) { used_->fetch_sub(bytes, std::memory_order_relaxed); }

  size_t used() const { return used_->load(std::memory_order_relaxed); }
  size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  /// Memory already in use stays reserved, even above the new limit.
  void set_limit(size_t limit) { limit_.store(limit, std::memory_order_relaxed); }

  /// Calls the reclaimers until they have freed `bytes`; returns how many they freed.
  size_t reclaim(size_t bytes);
  /// `reclaim(bytes)` frees up to `bytes` of its memory and returns how many it freed. It may reserve memory
  /// itself, and is not called again while it runs.
  [[nodiscard]] Reclaimer add_reclaimer(std::function<size_t(size_t)> reclaim);

  /// From now on, large buffers that exceed the budget are in `file`; some memory stays free for small ones.
  void spill_to(std::shared_ptr<SpillFile> file) { spill_file_ = std::move(file); }
  std::shared_ptr<SpillFile> spill_file() const { return spill_file_; }
  /// Whether finished data should move to temporary files (Buffer::spill), so that new data has room: caches
  /// have no more to release, and half of the limit, or all but 2 GiB, is in use.
  bool is_short();

 private:
  friend class Reservation;
  friend class Buffer;

  bool try_reserve(size_t bytes, size_t limit);
  /// Reserves `bytes` and leaves `left` free, if necessary after reclaiming; otherwise reserves nothing and
  /// returns false.
  bool reserve_leaving(size_t bytes, size_t left);
  /// Reserves `more` bytes for a buffer of `size` bytes. False: it should be in the temporary file.
  bool reserve_for(size_t size, size_t more, Reservation& reservation);
  /// Calls the reclaimers, each for `bytes`, until done() is true.
  template <class Done>
  size_t ask_reclaimers(size_t bytes, Done done);

  std::atomic<size_t> limit_;
  const std::string_view raise_;  // a string literal
  const std::shared_ptr<std::atomic<size_t>> used_ = std::make_shared<std::atomic<size_t>>(0);
  std::atomic<size_t> peak_{0};
  std::mutex mutex_;
  std::vector<std::weak_ptr<Reclaimer::Entry>> reclaimers_;
  std::shared_ptr<SpillFile> spill_file_;  // null: exceeding the budget is an error
};

/// Bytes reserved in a budget, which the destructor returns. It may outlive the budget's owner, as results
/// outlive sessions. A null budget counts nothing.
class Reservation {
 public:
  Reservation() = default;
  Reservation(MemoryBudget* budget, std::string_view what)
      : budget_(budget), what_(what), used_(budget == nullptr ? nullptr : budget->used_) {}
  Reservation(Reservation&& other) noexcept
      : budget_(other.budget_),
        what_(other.what_),
        used_(other.used_),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { resize(0); }

  /// Grows or shrinks to `bytes`, while the budget exists. Throws MemoryError and is then unchanged.
  void resize(size_t bytes);
  /// Takes over `bytes` that were already reserved in the budget.
  void adopt(size_t bytes) { bytes_ += bytes; }
  size_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_ = nullptr;
  std::string_view what_;  // a string literal: operator names
  std::shared_ptr<std::atomic<size_t>> used_;
  size_t bytes_ = 0;
};

/// Bytes that wide loads may read past the end of any buffer that we allocate.
inline constexpr size_t kPadding = 64;

/// How a buffer is accessed. Huge pages save page walks for random access. Otherwise they only make the first
/// access expensive, since the system clears (and a virtual machine fetches) 2 MiB at a time.
enum class Access : uint8_t { kInOrder, kRandom };

/// Immutable shared bytes. Those that we allocate are 64-byte aligned and padded with kPadding zero bytes.
class Buffer {
 public:
  Buffer() = default;
  /// New memory, unspecified except for its zero padding; write it before sharing it. It is in the budget's
  /// SpillFile if the budget has one and no room left.
  static Buffer allocate(size_t bytes, MemoryBudget* budget, std::string_view what,
                         Access access = Access::kInOrder);
  /// Memory owned by others, which `owner` keeps alive.
  static Buffer wrap(const void* data, size_t bytes, std::shared_ptr<const void> owner);

  const uint8_t* data() const { return data_; }
  uint8_t* mutable_data() { return const_cast<uint8_t*>(data_); }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  template <class T>
  T* mutable_as() {
    return reinterpret_cast<T*>(mutable_data());
  }
  size_t size() const { return size_; }
  /// Moves large memory that we allocated to the budget's SpillFile, unless that is full. Its address and its
  /// contents stay; other threads may read it meanwhile, but not write it.
  void spill(MemoryBudget* budget, std::string_view what) const;
  /// Whether it is in a temporary file.
  bool spilled() const;
  explicit operator bool() const { return data_ != nullptr; }
  /// The first `bytes` bytes, sharing the memory.
  Buffer prefix(size_t bytes) const {
    Buffer first = *this;
    first.size_ = bytes;
    return first;
  }

 private:
  friend class Allocations;
  template <class T>
  friend class BufferBuilder;
  /// Allocates more for memory that we allocated and do not share; the first `used` bytes stay.
  void grow(size_t bytes, size_t used, MemoryBudget* budget, std::string_view what);

  enum class Owner : uint8_t { kOthers, kBlock, kFile };
  struct Block;
  Block* block() const;  ///< null: the owner is another

  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  Owner owned_by_ = Owner::kOthers;
  std::shared_ptr<const void> owner_;
};

/// The large buffers that a thread has allocated under one name, so that they can be moved to temporary files
/// together.
class Allocations {
 public:
  /// While it exists, this thread's allocations are recorded. `what` is a string literal.
  class Scope {
   public:
    Scope(Allocations& allocations, std::string_view what);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Allocations* outer_;
  };

  /// Moves those that still exist, see Buffer::spill(), and forgets them. Memory for random access stays.
  void spill(MemoryBudget* budget);

 private:
  friend class Buffer;
  static void record(const std::shared_ptr<Buffer::Block>& block, std::string_view what);

  std::string_view what_;
  std::vector<std::weak_ptr<Buffer::Block>> blocks_;
};

/// A growing buffer of T, reserved in a budget. T is trivially copyable. finish() hands its bytes over.
template <class T>
class BufferBuilder {
 public:
  BufferBuilder(MemoryBudget* budget, std::string_view what) : budget_(budget), what_(what) {}

  T* data() { return buffer_.template mutable_as<T>(); }
  const T* data() const { return buffer_.template as<T>(); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }

  void reserve(size_t count) {
    if (count > capacity_) grow(count);
  }
  void push_back(const T& value) {
    if (size_ == capacity_) grow(size_ + 1);
    data()[size_++] = value;
  }
  void append(const T* from, size_t count) {
    if (count == 0) return;
    reserve(size_ + count);
    std::memcpy(data() + size_, from, count * sizeof(T));
    size_ += count;
  }
  /// New elements are unspecified.
  void resize(size_t count) {
    reserve(count);
    size_ = count;
  }
  /// The elements as an immutable buffer; the builder is empty again.
  Buffer finish() {
    Buffer result = buffer_ ? buffer_.prefix(size_ * sizeof(T)) : Buffer::allocate(0, budget_, what_);
    *this = BufferBuilder(budget_, what_);
    return result;
  }

 private:
  void grow(size_t count) {
    const size_t capacity = std::max({count, capacity_ * 2, size_t{64}});
    buffer_.grow(capacity * sizeof(T), size_ * sizeof(T), budget_, what_);
    capacity_ = capacity;
  }

  MemoryBudget* budget_;
  std::string_view what_;
  Buffer buffer_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace lanewise
