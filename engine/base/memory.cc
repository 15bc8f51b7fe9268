#include "base/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/size.h"

namespace lanewise {

namespace {
constexpr size_t kHugePage = size_t{2} << 20;
}

bool MemoryBudget::try_reserve(size_t bytes) {
  const size_t limit = this->limit();
  size_t used = used_->load(std::memory_order_relaxed);
  do {
    if (bytes > limit || used > limit - bytes) return false;
  } while (!used_->compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used + bytes && !peak_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

void MemoryBudget::reserve(size_t bytes, std::string_view what) {
  if (try_reserve(bytes)) return;
  {
    std::lock_guard lock(mutex_);
    for (auto& reclaim : reclaimers_) {
      reclaim(bytes);
      if (try_reserve(bytes)) return;
    }
  }
  if (try_reserve(bytes)) return;
  throw MemoryError(fmt::format("{} needs {} more, but {} of the memory limit of {} are in use; {}", what,
                                format_size(bytes), format_size(used()), format_size(limit()), raise_));
}

size_t MemoryBudget::reclaim(size_t bytes) {
  std::lock_guard lock(mutex_);
  size_t freed = 0;
  for (auto& reclaim : reclaimers_) {
    if (freed < bytes) freed += reclaim(bytes - freed);
  }
  return freed;
}

void MemoryBudget::add_reclaimer(std::function<size_t(size_t)> reclaim) {
  std::lock_guard lock(mutex_);
  reclaimers_.push_back(std::move(reclaim));
}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    resize(0);
    budget_ = other.budget_;
    what_ = other.what_;
    used_ = other.used_;
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void Reservation::resize(size_t bytes) {
  if (budget_ != nullptr) {
    if (bytes > bytes_) budget_->reserve(bytes - bytes_, what_);
    if (bytes < bytes_) used_->fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  }
  bytes_ = bytes;
}

Buffer Buffer::allocate(size_t bytes, MemoryBudget* budget, std::string_view what, Access access) {
  struct Block {
    Reservation reservation;
    void* memory = nullptr;
    ~Block() { std::free(memory); }
  };
  auto block = std::make_shared<Block>();
  const size_t size = (bytes + kPadding + 63) / 64 * 64;
  block->reservation = Reservation(budget, what);
  block->reservation.resize(size);
  const bool huge = access == Access::kRandom && size >= 2 * kHugePage;
  const size_t alignment = huge ? kHugePage : 64;
  // Not posix_memalign(): in glibc what it gave is too small, once freed, for the next call of the same size.
  block->memory = std::malloc(size + alignment);
  if (block->memory == nullptr) {
    throw MemoryError(fmt::format("{}: the system has no {} left", what, format_size(size)));
  }
  const uintptr_t address =
      (reinterpret_cast<uintptr_t>(block->memory) + alignment - 1) / alignment * alignment;
  auto* data = reinterpret_cast<uint8_t*>(address);
  if (huge) madvise(data, size, MADV_HUGEPAGE);
  std::memset(data + bytes, 0, size - bytes);  // so that over-reads are the same always
  Buffer buffer;
  buffer.data_ = data;
  buffer.size_ = bytes;
  buffer.owner_ = std::move(block);
  return buffer;
}

Buffer Buffer::wrap(const void* data, size_t bytes, std::shared_ptr<const void> owner) {
  Buffer buffer;
  buffer.data_ = static_cast<const uint8_t*>(data);
  buffer.size_ = bytes;
  buffer.owner_ = std::move(owner);
  return buffer;
}

}  // namespace lanewise
