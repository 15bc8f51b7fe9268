#pragma once

#include <cstddef>
#include <cstdint>

namespace lanewise::index {

/// Memory that grows and never moves: a large range of addresses whose beginning is in use. New bytes are
/// zero.
class Region {
 public:
  Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  uint8_t* data() const { return data_; }
  size_t reserved() const { return reserved_; }
  /// Makes bytes [0, bytes) usable. Throws MemoryError that names the index, without any change.
  void grow(size_t bytes);
  /// Marks [0, bytes) as in use, since it is mapped.
  void assume(size_t bytes) { usable_ = bytes; }

 private:
  uint8_t* data_ = nullptr;
  size_t reserved_ = 0;
  size_t usable_ = 0;
};

}  // namespace lanewise::index
