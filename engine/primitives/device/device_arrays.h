#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "device/kernels.h"
#include "device/memory.h"

namespace lanewise {

/// How two values become one.
enum class Combine { kSum, kProduct, kLeast, kGreatest, kXor };  // the last one for whole numbers
/// Of an array in a device's memory. Whole numbers wrap; reals' sums and products are rounded in an order
/// that the device chooses.
enum class Element { kInt32, kInt64, kReal };

inline size_t size_of(Element element) { return element == Element::kInt32 ? 4 : 8; }

/// Reduction and scan of arrays in the memory of a GPU, near the speed of its memory. Kernels are compiled,
/// or found on disk, when they are first needed. For one thread at a time.
class DeviceArrays {
 public:
  explicit DeviceArrays(device::DevicePool& pool) : pool_(pool) {}

  /// All of `count` values at `from` combined, at `to`; for none what leaves every value as it is. `from` is
  /// 16-byte aligned. In the order of `stream`.
  void reduce(Combine combine, Element element, device::cuda::Address from, uint64_t count,
              device::cuda::Address to, device::Stream& stream);
  /// At each place the values up to it combined, with its own (`inclusive`) or without. `to` may be `from`;
  /// both are 16-byte aligned.
  void scan(Combine combine, Element element, bool inclusive, device::cuda::Address from, uint64_t count,
            device::cuda::Address to, device::Stream& stream);

  /// What is compiled for an operator: kernels `reduce_all`, `scan_inclusive` and `scan_exclusive`.
  static device::KernelSource source(Combine combine, Element element);

 private:
  device::Kernel kernel(Combine combine, Element element, const char* name);

  device::DevicePool& pool_;
  std::map<std::pair<Combine, Element>, device::Module> modules_;
};

}  // namespace lanewise
