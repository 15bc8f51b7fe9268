#include "base/blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/machine.h"

namespace lanewise::blocks {
namespace {

/// Four sizes for each power of two.
size_t size_class(size_t bytes) {
  const size_t step = std::bit_floor(std::max(bytes, kSmallest)) / 4;
  return (bytes + step - 1) / step * step;
}

void* map(size_t bytes, size_t alignment) {
  const size_t more = alignment > kSmallest ? alignment : 0;
  void* mapped = ::mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (more == 0) return mapped;
  const auto first = reinterpret_cast<uintptr_t>(mapped);
  const uintptr_t aligned = (first + alignment - 1) / alignment * alignment;
  if (aligned != first) ::munmap(mapped, aligned - first);
  if (const uintptr_t left = first + more - aligned; left != 0) {
    ::munmap(reinterpret_cast<void*>(aligned + bytes), left);
  }
  return reinterpret_cast<void*>(aligned);
}

struct Kept {
  void* memory;
  size_t bytes;
  bool huge;
};

class Store {
 public:
  /// The latest block of this size, which is likeliest to have its pages; or null.
  void* take(size_t bytes, bool huge) {
    const auto lock = this->lock();
    if (!lock) return nullptr;
    for (size_t i = kept_.size(); i-- > 0;) {
      if (kept_[i].bytes != bytes || kept_[i].huge != huge) continue;
      void* memory = kept_[i].memory;
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= bytes;
      return memory;
    }
    return nullptr;
  }

  /// Returns the blocks that have no room, the oldest ones; the caller unmaps them.
  std::vector<Kept> keep(const Kept& block) {
    const auto lock = this->lock();
    if (!lock || block.bytes > limit_) return {block};
    kept_.push_back(block);
    bytes_ += block.bytes;
    size_t surplus = 0;
    while (bytes_ > limit_ || kept_.size() - surplus > kMost) bytes_ -= kept_[surplus++].bytes;
    const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(surplus);
    std::vector<Kept> oldest(kept_.begin(), end);
    kept_.erase(kept_.begin(), end);
    return oldest;
  }

  size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  static constexpr size_t kMost = 1024;  // blocks, which take() searches one by one

  /// Not held if the mutex stays locked: in a forked process its holder may not exist.
  std::unique_lock<std::mutex> lock() {
    std::unique_lock lock(mutex_, std::defer_lock);
    for (int tries = 0; tries < 1000 && !lock.try_lock(); tries++) std::this_thread::yield();
    return lock;
  }

  const size_t limit_ = std::min(machine_memory() / 16, size_t{1} << 30);
  std::mutex mutex_;
  std::vector<Kept> kept_;  // the oldest first
  size_t bytes_ = 0;
};

Store& store() {
  static auto& store = *new Store;  // outlives all buffers
  return store;
}

}  // namespace

void* take(size_t bytes, bool huge) {
  bytes = size_class(bytes);
  if (void* memory = store().take(bytes, huge)) return memory;
  void* memory = map(bytes, huge ? kHugePage : 0);
  if (memory != nullptr && huge) ::madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void* grow(void* memory, size_t before, size_t bytes) {
  const size_t from = size_class(before), to = size_class(bytes);
  if (from == to) return memory;
  if (void* larger = store().take(to, false)) {
    std::memcpy(larger, memory, before);
    give_back(memory, before, false);
    return larger;
  }
  void* moved = ::mremap(memory, from, to, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? nullptr : moved;
}

void give_back(void* memory, size_t bytes, bool huge) {
  bytes = size_class(bytes);
  ::madvise(memory, bytes, MADV_FREE);
  for (const Kept& old : store().keep({memory, bytes, huge})) ::munmap(old.memory, old.bytes);
}

void unmap(void* memory, size_t bytes) { ::munmap(memory, size_class(bytes)); }

size_t kept() { return store().bytes(); }

}  // namespace lanewise::blocks
