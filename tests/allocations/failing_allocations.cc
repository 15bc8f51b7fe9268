#include "allocations/failing_allocations.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {  // the linker's --wrap: calls of malloc() go to __wrap_malloc()
void* __real_malloc(size_t bytes);
void* __real_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset);
}

namespace lanewise::testing {

namespace {
std::atomic<bool> counting{false};
std::atomic<int64_t> counted{0};
std::atomic<int64_t> failing{-1};

bool fails() {
  if (!counting.load(std::memory_order_relaxed)) return false;
  return counted.fetch_add(1, std::memory_order_relaxed) == failing.load(std::memory_order_relaxed);
}
}  // namespace

FailingAllocation::FailingAllocation(int64_t number) {
  counted = 0;
  failing = number;
  counting = true;
}
FailingAllocation::~FailingAllocation() { counting = false; }

int64_t FailingAllocation::count() { return counted; }

namespace {
/// Null: it failed.
void* try_allocate(size_t bytes, size_t alignment) {
  if (fails()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return __real_malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate(size_t bytes, size_t alignment) {
  void* const memory = try_allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

}  // namespace lanewise::testing

extern "C" {
void* __wrap_malloc(size_t bytes) { return lanewise::testing::fails() ? nullptr : __real_malloc(bytes); }
void* __wrap_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  return lanewise::testing::fails() ? MAP_FAILED
                                    : __real_mmap(address, bytes, protection, flags, file, offset);
}
}

void* operator new(size_t bytes) { return lanewise::testing::allocate(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return lanewise::testing::allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return lanewise::testing::try_allocate(bytes, 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
