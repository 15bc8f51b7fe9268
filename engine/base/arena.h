#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/memory.h"

namespace lanewise {

/// Memory that lives until reset(): scratch space for one chunk of rows. For one thread at a time.
/// Allocations are 64-byte aligned and may be read kPadding bytes past their end.
class Arena {
 public:
  explicit Arena(MemoryBudget* budget = nullptr, std::string_view what = "scratch")
      : budget_(budget), what_(what) {}

  /// Uninitialised.
  template <class T>
  T* allocate(size_t count) {
    return static_cast<T*>(raw(count * sizeof(T)));
  }
  /// A copy of `text`.
  std::string_view copy(std::string_view text);
  /// A copy of `text`, packed right after the previous copy: for many short strings that live long. Neither
  /// aligned nor padded.
  std::string_view copy_packed(std::string_view text);
  /// Releases all allocations. If they took several blocks, one block of their total size replaces them, so
  /// that later chunks reuse the same memory.
  void reset();

 private:
  void* raw(size_t bytes);

  MemoryBudget* budget_;
  std::string_view what_;  // a string literal
  std::vector<Buffer> blocks_;
  size_t used_ = 0;         // bytes used in the last block
  char* packed_ = nullptr;  // where copy_packed continues
  size_t packed_left_ = 0;
  size_t next_ = 0;  // size of the first block
};

}  // namespace lanewise
