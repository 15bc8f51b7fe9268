#pragma once

#include <map>

#include "device/memory.h"
#include "index/device/search_kernels.h"
#include "index/device/update_kernels.h"

namespace lanewise::index {

/// Keys as words, and their rows, in a device's memory; a sort moves them between two places.
struct WordRows {
  u64 words[2];
  u64 rows[2];  ///< u32
  u64 count;    ///< below 2^32
  u32 word;     ///< bytes of a word
  int place = 0;
};

/// Runs searches and the steps of updates where a device's memory is.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job,
                      device::Stream& stream) = 0;
  virtual void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job,
                    u64 items, device::Stream& stream) = 0;
  /// Into ascending order of the words; equal ones keep theirs.
  virtual void sort(WordRows& pairs, device::DevicePool& pool, device::Stream& stream) = 0;
};

/// Runs them on the GPU; a kernel is compiled, or found on disk, when it is first needed.
class GpuRunner final : public Runner {
 public:
  /// Throws DeviceError where there is no compiler.
  explicit GpuRunner(device::Device& device);
  void search(const SearchKernel& kernel, const TreeAt& tree, const Job& job,
              device::Stream& stream) override;
  void step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job, u64 items,
            device::Stream& stream) override;
  void sort(WordRows& pairs, device::DevicePool& pool, device::Stream& stream) override;

 private:
  device::Device& device_;
  std::map<SearchKernel, device::Module> searches_;
  std::map<UpdateKernels, device::Module> updates_;
};

}  // namespace lanewise::index
