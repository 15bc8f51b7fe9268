#pragma once

#include <map>
#include <utility>

#include "primitives/gpu/device_arrays.h"

namespace lanewise {

enum class Order { kAscending, kDescending };

/// Merge sort of arrays in GPU memory, and merging of sorted arrays. Kernels are
/// compiled, or loaded from disk, on first use. For one thread at a time.
class DeviceMergeSort {
 public:
  explicit DeviceMergeSort(gpu::DevicePool& pool) : pool_(pool) {}

  /// Sorts the `count` values at `from` to `to`; NaN last. `to` may be `from`. Needs as much scratch memory
  /// as the values take. In the order of `stream`. Throws DeviceError, MemoryError.
  void sort(Order order, Element element, gpu::cuda::Address from, uint64_t count, gpu::cuda::Address to,
            gpu::Stream& stream);

  /// Merges the sorted values at `a` and at `b` to `to`; of equal values those of `a` come first. `to`
  /// is neither of them.
  void merge(Order order, Element element, gpu::cuda::Address a, uint64_t of_a, gpu::cuda::Address b,
             uint64_t of_b, gpu::cuda::Address to, gpu::Stream& stream);

  /// The source of the kernels `sort_all`, `split_all`, `merge_all`, `split_both` and `merge_both`.
  static gpu::KernelSource source(Order order, Element element);

 private:
  const gpu::Module& module(Order order, Element element);

  gpu::DevicePool& pool_;
  std::map<std::pair<Order, Element>, gpu::Module> modules_;
};

}  // namespace lanewise
