#pragma once

#include <map>

#include "primitives/gpu/device_arrays.h"

namespace lanewise {

/// Products of matrices in GPU memory. Kernels are compiled, or loaded from disk, on first
/// use. For one thread at a time.
class DeviceMatrixProduct {
 public:
  explicit DeviceMatrixProduct(gpu::DevicePool& pool) : pool_(pool) {}

  /// `product` = a × b, row-major: rows × inner cells times inner × columns. Integers wrap; reals are
  /// added in the order of `inner`, with fused multiply-add. `product` is neither a
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
