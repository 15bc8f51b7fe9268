#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/gpu/steps.h"

namespace lanewise::graph {

/// Linked lists and trees on a GPU: the same results and errors as chains.h.
class DeviceChains {
 public:
  /// Throws DeviceError, MemoryError; so do its functions.
  explicit DeviceChains(gpu::Device& gpu, Steps::Where where = Steps::Where::kGpu) : steps_(gpu, where) {}

  std::vector<int64_t> list_ranks(std::span<const int64_t> next);
  std::vector<int64_t> tree_depths(std::span<const int64_t> parent);

  /// Device time of the last result: all steps and the host's decisions between them, without copies of the
  /// links and of the result.
  double seconds() const { return seconds_; }

 private:
  uint32_t hop_to_ends(const uint32_t* chosen, size_t items, const DeviceArray<uint64_t>& hops,
                       const DeviceArray<uint32_t>& counts);
  std::vector<int64_t> fetch(const DeviceArray<uint32_t>& answer);

  Steps steps_;
  double seconds_ = 0;
};

}  // namespace lanewise::graph
