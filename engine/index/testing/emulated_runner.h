#pragma once

#include "index/gpu/runner.h"

namespace lanewise::index {

/// Runs the kernels' text on the host, for the fake driver, whose device memory is host memory.
class EmulatedRunner final : public Runner {
 public:
  void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job, gpu::Stream& stream) override;
  void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job, u64 items,
            gpu::Stream& stream) override;
  void sort(gpu::SortPairs& pairs, gpu::DevicePool& pool, gpu::Stream& stream) override;

  inline static TreeAt last_tree;
  inline static int launches = 0;
};

}  // namespace lanewise::index
