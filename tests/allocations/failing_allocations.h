#pragma once

#include <cstdint>

namespace lanewise::testing {

/// Lets one allocation of this program fail: operator new throws std::bad_alloc, malloc() and mmap() return
/// null. Allocations of all threads count.
class FailingAllocation {
 public:
  /// The next allocation is number 0. Negative: none fails.
  explicit FailingAllocation(int64_t number);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;

  /// Allocations since the constructor.
  static int64_t count();
};

}  // namespace lanewise::testing
