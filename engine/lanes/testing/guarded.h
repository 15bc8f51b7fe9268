#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace lanewise::lanes {

/// Memory for tests that ends at an inaccessible page: a read or write past its end crashes.
template <class T>
class Guarded {
 public:
  explicit Guarded(size_t count) : count_(count) {
    const size_t page = size_t(sysconf(_SC_PAGESIZE));
    size_ = (count * sizeof(T) + page - 1) / page * page + page;
    void* at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<char*>(at);
    mprotect(base_ + size_ - page, page, PROT_NONE);
    values_ = reinterpret_cast<T*>(base_ + size_ - page - count * sizeof(T));
  }
  template <class Values>
  static Guarded copy_of(const Values& values) {
    Guarded result(values.size());
    if (values.size()) std::memcpy(result.data(), values.data(), values.size() * sizeof(T));
    return result;
  }
  ~Guarded() {
    if (base_) munmap(base_, size_);
  }
  Guarded(Guarded&& other) noexcept
      : base_(other.base_), size_(other.size_), values_(other.values_), count_(other.count_) {
    other.base_ = nullptr;
  }
  Guarded& operator=(Guarded&&) = delete;

  T* data() { return values_; }
  const T* data() const { return values_; }
  size_t size() const { return count_; }
  T& operator[](size_t i) { return values_[i]; }
  const T& operator[](size_t i) const { return values_[i]; }

 private:
  char* base_;
  size_t size_;
  T* values_;
  size_t count_;
};

}  // namespace lanewise::lanes
