#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "index/gpu/device_index.h"
#include "study/bench/bench.h"
#include "study/bench/index_data.h"

namespace lanewise::cli::bench {

/// A group that is yet to be measured, and its levels.
struct Work {
  Group group;
  std::vector<Contender> contenders;
};

/// The GPU of that name: none for cpu; auto the first one or none. Throws DeviceError, UserError.
gpu::Device* find_device(const std::string& name);

/// Adds lookups of queries that lie in the device's memory, by each strategy; their time is the device's.
template <class Key>
void add_resident(Work& work, const std::shared_ptr<DeviceIndex>& index, const std::vector<Key>& queries,
                  const std::vector<std::string>& strategies, gpu::Device& device);

/// What a launch costs the first time and later, with and without waiting for its end.
template <class Key>
Work launch_cost(gpu::Device& device);

/// Bringing a tree of about so many nodes of so many keys to the device.
template <class Key>
Work copy_cost(uint64_t nodes, uint32_t keys, gpu::Device& device);

/// Many queries that lie in the device's memory, in random order and sorted: contains, find, bounds, ranges;
/// after random updates, and bringing those over.
template <class Key>
void device_works(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
                  const std::function<void(Work)>& add);

/// Changes of an index that is loaded at 70 %, in batches that lie in the device's memory, and its bulk load.
template <class Key>
void update_works(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
                  const std::function<void(Work)>& add);

/// Lookups of a tenth as many strings of 8 to 40 bytes, in random order; inserting and erasing a tenth of
/// those.
void text_works(const IndexBenchOptions& options, gpu::Device& device, const std::function<void(Work)>& add);

}  // namespace lanewise::cli::bench
