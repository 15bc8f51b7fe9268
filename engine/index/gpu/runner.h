#pragma once

#include <map>

#include "gpu/sort/sort.h"
#include "index/gpu/search_kernels.h"
#include "index/gpu/update/update_kernels.h"

namespace lanewise::index {

/// Runs searches and the steps of updates where a device's memory is.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job,
                      gpu::Stream& stream) = 0;
  virtual void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job,
                    u64 items, gpu::Stream& stream) = 0;
  /// Sorts words with their rows; equal words keep their order.
  virtual void sort(gpu::SortPairs& pairs, gpu::DevicePool& pool, gpu::Stream& stream) = 0;
};

/// Runs them on the GPU; a kernel is compiled, or found on disk, when it is first needed.
class GpuRunner final : public Runner {
 public:
  /// Throws DeviceError where there is no compiler.
  explicit GpuRunner(gpu::Device& device);
  void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job, gpu::Stream& stream) override;
  void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job, u64 items,
            gpu::Stream& stream) override;
  void sort(gpu::SortPairs& pairs, gpu::DevicePool& pool, gpu::Stream& stream) override;

 private:
  struct Search {
    gpu::Module module;
    u64 at_once;  // blocks that the device runs
  };
  const Search& search_of(const SearchKernel& kernel);

  gpu::Device& device_;
  const gpu::Sorter* sorter_;  // none: the host sorts
  std::map<SearchKernel, Search> searches_;
  std::map<UpdateKernels, gpu::Module> updates_;
};

}  // namespace lanewise::index
