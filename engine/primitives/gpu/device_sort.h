#pragma once

#include <map>
#include <utility>

#include "primitives/gpu/device_arrays.h"

namespace lanewise {

enum class Order { kAscending, kDescending };

/// Sorting by comparison of arrays in the memory of a GPU, by merging, and merging alone. Kernels are
/// compiled, or found on disk, when they are first needed. For one thread at a time.
class DeviceMergeSort {
 public:
  explicit DeviceMergeSort(gpu::DevicePool& pool) : pool_(pool) {}

  /// `to` = the `count` values at `from`, in order; NaN last. `to` may be `from`. Takes as much memory again
  /// for a while. In the order of `stream`. Throws DeviceError, MemoryError.
  void sort(Order order, Element element, gpu::cuda::Address from, uint64_t count, gpu::cuda::Address to,
            gpu::Stream& stream);

  /// `to` = the values at `a` and at `b`, each in order, merged; of equal ones those of `a` come first. `to`
  /// is neither of them.
  void merge(Order order, Element element, gpu::cuda::Address a, uint64_t of_a, gpu::cuda::Address b,
             uint64_t of_b, gpu::cuda::Address to, gpu::Stream& stream);

  /// What is compiled: kernels `sort_all`, `split_all`, `merge_all`, `split_both` and `merge_both`.
  static gpu::KernelSource source(Order order, Element element);

 private:
  const gpu::Module& module(Order order, Element element);

  gpu::DevicePool& pool_;
  std::map<std::pair<Order, Element>, gpu::Module> modules_;
};

}  // namespace lanewise
