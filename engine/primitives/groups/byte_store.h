#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory.h"

namespace lanewise {

/// Many small pieces of memory, allocated together, 8-byte aligned and freed together. Reserved in a budget.
class ByteStore {
 public:
  /// `what`, a string literal, names the operator in memory errors.
  ByteStore(MemoryBudget* budget, std::string_view what) : budget_(budget), what_(what) {}

  /// Uninitialised; never moves.
  uint8_t* allocate(size_t size) {
    const size_t rounded = (size + 7) / 8 * 8;
    if (rounded > left_) grow(rounded);
    uint8_t* result = next_;
    next_ += rounded;
    left_ -= rounded;
    return result;
  }
  /// A copy of `text`.
  std::string_view copy(std::string_view text);

 private:
  void grow(size_t size);

  MemoryBudget* budget_;
  std::string_view what_;
  std::vector<Buffer> blocks_;
  uint8_t* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace lanewise
