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

/// A group to be measured, and its levels.
struct Work {
  Group group;
  std::vector<Contender> contenders;
};

/// "1,048,576"
std::string counted(uint64_t number);

/// A group without levels; `name` is that of --work.
Work device_work_of(const char* name, std::string title, uint64_t rows);

/// The GPU of this name: none for cpu; for auto the first one, or none. Throws DeviceError, UserError.
gpu::Device* find_device(const std::string& name);

/// Adds look-ups of queries in the device's memory, by each strategy, with the device's time.
template <class Key>
void add_resident(Work& work, const std::shared_ptr<DeviceIndex>& index, const std::vector<Key>& queries,
                  const std::vector<std::string>& strategies, gpu::Device& device,
                  const std::string& note = "");

/// The same with a launch for each query, and the sum of the launches' times.
template <class Key>
void add_each(Work& work, const std::shared_ptr<DeviceIndex>& index, const std::vector<Key>& queries,
              const std::vector<std::string>& strategies, gpu::Device& device);

/// The cost of the first launch and of later ones, with and without waiting for the end: of an empty kernel,
/// and of the search for one key.
template <class Key>
Work launch_cost(gpu::Device& device);

/// Copies a tree of about this many nodes, of this many keys each, to the device.
template <class Key>
Work copy_cost(uint64_t nodes, uint32_t keys, gpu::Device& device);

/// Copies so many keys to the device, and their values back.
template <class Key>
Work transfer_cost(uint64_t count, gpu::Device& device);

/// Many queries in the device's memory, in random order and sorted: contains, find, bounds, ranges. Also
/// after random updates, whose copy is measured, too.
template <class Key>
void device_works(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
                  const std::function<void(Work)>& add);

/// Changes to an index that is filled to 70 %, by batches in the device's memory, and its bulk load.
template <class Key>
void update_works(const IndexData<Key>& data, const IndexBenchOptions& options, gpu::Device& device,
                  const std::function<void(Work)>& add);

/// Look-ups of a tenth as many strings of 8 to 40 bytes, in random order; inserting and erasing a tenth of
/// those.
void text_works(const IndexBenchOptions& options, gpu::Device& device, const std::function<void(Work)>& add);

}  // namespace lanewise::cli::bench
