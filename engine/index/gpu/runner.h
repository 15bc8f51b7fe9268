#pragma once

#include <map>

#include "gpu/sort/sort.h"
#include "index/gpu/search/search_kernels.h"
#include "index/gpu/update/update_kernels.h"

namespace lanewise::index {

/// Runs searches and the steps of updates on device memory.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job,
                      gpu::Stream& stream) = 0;
  virtual void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job,
                    u64 items, gpu::Stream& stream) = 0;
  /// Sorts words with their rows; the sort is stable.
  virtual void sort(gpu::SortPairs& pairs, gpu::DevicePool& pool, gpu::Stream& stream) = 0;
};

/// Runs them on the GPU; a kernel is compiled, or loaded from disk, on first use.
class GpuRunner final : public Runner {
 public:
  /// Throws DeviceError if there is no compiler.
  explicit GpuRunner(gpu::Device& device);
  void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job, gpu::Stream& stream) override;
  void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job, u64 items,
            gpu::Stream& stream) override;
  void sort(gpu::SortPairs& pairs, gpu::DevicePool& pool, gpu::Stream& stream) override;

 private:
  struct Search {
    gpu::Module module;
    u64 at_once;  // blocks that run concurrently
  };
  const Search& search_of(const SearchKernel& kernel);

  gpu::Device& device_;
  const gpu::Sorter* sorter_;  // null: the host sorts
  std::map<SearchKernel, Search> searches_;
  std::map<UpdateKernels, gpu::Module> updates_;
};

}  // namespace lanewise::index
