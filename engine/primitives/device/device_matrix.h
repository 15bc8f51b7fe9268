#pragma once

#include <map>

#include "primitives/device/device_arrays.h"

namespace lanewise {

/// Products of matrices in the memory of a GPU. Kernels are compiled, or found on disk, when they are first
/// needed. For one thread at a time.
class DeviceMatrixProduct {
 public:
  explicit DeviceMatrixProduct(device::DevicePool& pool) : pool_(pool) {}

  /// `product` = a × b, row by row: rows × inner cells times inner × columns. Whole numbers wrap; reals are
  /// added in the order of `inner`, and a product is not rounded before it is added. `product` is neither a
  /// nor b. In the order of `stream`. Throws DeviceError.
  void multiply(Element element, device::cuda::Address a, device::cuda::Address b,
                device::cuda::Address product, uint64_t rows, uint64_t inner, uint64_t columns,
                device::Stream& stream);

  /// The source of the kernel `multiply_all`.
  static device::KernelSource source(Element element);

 private:
  device::DevicePool& pool_;
  std::map<Element, device::Module> modules_;
};

}  // namespace lanewise
