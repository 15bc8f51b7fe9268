#pragma once

#include <map>

#include "primitives/gpu/device_arrays.h"

namespace lanewise {

/// Products of matrices in the memory of a GPU. Kernels are compiled, or found on disk, when they are first
/// needed. For one thread at a time.
class DeviceMatrixProduct {
 public:
  explicit DeviceMatrixProduct(gpu::DevicePool& pool) : pool_(pool) {}

  /// `product` = a × b, row by row: rows × inner cells times inner × columns. Whole numbers wrap; reals are
  /// added in the order of `inner`, and a product is not rounded before it is added. `product` is neither a
  /// nor b. In the order of `stream`. Throws DeviceError.
  void multiply(Element element, gpu::cuda::Address a, gpu::cuda::Address b, gpu::cuda::Address product,
                uint64_t rows, uint64_t inner, uint64_t columns, gpu::Stream& stream);

  /// The source of the kernel `multiply_all`.
  static gpu::KernelSource source(Element element);

 private:
  gpu::DevicePool& pool_;
  std::map<Element, gpu::Module> modules_;
};

}  // namespace lanewise
