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

/// Blocks of one kind, the oldest first.
class Blocks {
 public:
  /// The latest block of this size, which is likeliest to have its pages; or null.
  void* take(size_t bytes, bool huge) {
    for (size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i].bytes != bytes || blocks_[i].huge != huge) continue;
      void* memory = blocks_[i].memory;
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= bytes;
      return memory;
    }
    return nullptr;
  }

  void add(const Kept& block) {
    blocks_.push_back(block);
    bytes_ += block.bytes;
  }

  /// Removes the oldest blocks until the others have at most so many bytes.
  std::vector<Kept> shrink(size_t bytes) {
    size_t surplus = 0;
    while (bytes_ > bytes || blocks_.size() - surplus > kMost) bytes_ -= blocks_[surplus++].bytes;
    const auto end = blocks_.begin() + static_cast<std::ptrdiff_t>(surplus);
    std::vector<Kept> oldest(blocks_.begin(), end);
    blocks_.erase(blocks_.begin(), end);
    return oldest;
  }

  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kMost = 512;  // blocks, which take() searches one by one

  std::vector<Kept> blocks_;
  size_t bytes_ = 0;
};

class Store {
 public:
  void* take(size_t bytes, bool huge) {
    const auto lock = this->lock();
    if (!lock) return nullptr;
    void* memory = latest_.take(bytes, huge);
    return memory != nullptr ? memory : lent_.take(bytes, huge);
  }

  /// What keep() leaves to its caller: blocks to lend, which keep_lent() then takes, and blocks to unmap.
  struct Left {
    std::vector<Kept> lend, unmap;
  };

  Left keep(const Kept& block) {
    const auto lock = this->lock();
    if (!lock || block.bytes > limit_) return {{}, {block}};
    latest_.add(block);
    std::vector<Kept> older = latest_.shrink(limit_ / 2);
    return {std::move(older), lent_.shrink(limit_ - latest_.bytes())};
  }

  /// Returns the blocks that have no room; the caller unmaps them.
  std::vector<Kept> keep_lent(const Kept& block) {
    const auto lock = this->lock();
    if (!lock) return {block};
    lent_.add(block);
    return lent_.shrink(limit_ - latest_.bytes());
  }

  size_t bytes() {
    const std::lock_guard lock(mutex_);
    return latest_.bytes() + lent_.bytes();
  }

 private:
  /// Not held if the mutex stays locked: in a forked process its holder may not exist.
  std::unique_lock<std::mutex> lock() {
    std::unique_lock lock(mutex_, std::defer_lock);
    for (int tries = 0; tries < 1000 && !lock.try_lock(); tries++) std::this_thread::yield();
    return lock;
  }

  const size_t limit_ = std::min(machine_memory() / 16, size_t{1} << 30);
  std::mutex mutex_;
  Blocks latest_, lent_;
};

void unmap_all(const std::vector<Kept>& blocks) {
  for (const Kept& block : blocks) ::munmap(block.memory, block.bytes);
}

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
  const auto [lend, surplus] = store().keep({memory, bytes, huge});
  unmap_all(surplus);
  for (const Kept& block : lend) {  // none is in the store now, so no other thread takes it meanwhile
    ::madvise(block.memory, block.bytes, MADV_FREE);
    unmap_all(store().keep_lent(block));
  }
}

void unmap(void* memory, size_t bytes) { ::munmap(memory, size_class(bytes)); }

size_t kept() { return store().bytes(); }

}  // namespace lanewise::blocks
