#include "index/device/runner.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/error.h"
#include "index/device/warp-inl.h"
#include "primitives/radix_sort.h"

namespace lanewise::index {

namespace {

/// Where a search kernel goes from one key to the next, so many blocks keep a GPU busy.
constexpr u64 kMostBlocks = 1 << 20;

/// The module of a key of `modules`, which is built when it is first asked for.
template <class Key>
const device::Module& module_of(std::map<Key, device::Module>& modules, const Key& key,
                                device::Device& device) {
  auto found = modules.find(key);
  if (found == modules.end()) found = modules.emplace(key, device::build(device, key.source()).module).first;
  return found->second;
}

/// Null where the plug-in is not there.
const device::Sorter* find_sorter() {
  try {
    return &device::Sorter::system();
  } catch (const device::DeviceError&) {
    return nullptr;
  }
}

void sort_on_host(const device::SortPairs& pairs, device::Stream& stream) {
  const u64 keys_at = pairs.keys[pairs.place], values_at = pairs.values[pairs.place];
  std::vector<u8> words(pairs.count * pairs.key_bytes);
  std::vector<u32> rows(pairs.count);
  stream.copy_to_host(words.data(), keys_at, words.size());
  stream.copy_to_host(rows.data(), values_at, rows.size() * sizeof(u32));
  stream.synchronize();
  std::vector<KeyRow> sorted(pairs.count), scratch(pairs.count);
  for (u64 i = 0; i < pairs.count; ++i) {
    sorted[i] = {0, rows[i]};
    std::memcpy(&sorted[i].key, words.data() + i * pairs.key_bytes, pairs.key_bytes);
  }
  radix_sort(sorted, scratch.data());
  for (u64 i = 0; i < pairs.count; ++i) {
    std::memcpy(words.data() + i * pairs.key_bytes, &sorted[i].key, pairs.key_bytes);
    rows[i] = static_cast<u32>(sorted[i].row);
  }
  stream.copy_to_device(keys_at, words.data(), words.size());
  stream.copy_to_device(values_at, rows.data(), rows.size() * sizeof(u32));
  stream.synchronize();
}

}  // namespace

GpuRunner::GpuRunner(device::Device& device) : device_(device), sorter_(find_sorter()) {
  device::Compiler::system();
}

void GpuRunner::search(const SearchKernel& kernel, const TreeAt& tree, const Job& job,
                       device::Stream& stream) {
  if (job.count == 0) return;
  const device::Module& module = module_of(searches_, kernel, device_);
  const u64 queries = kBlockThreads / kernel.threads();  // of a block
  u64 blocks = (job.count + queries - 1) / queries;
  if (queries == 1) blocks = kernel.strategy == DeviceStrategy::block ? 1 : std::min(blocks, kMostBlocks);
  module.kernel("search").launch(stream, {.blocks = blocks, .threads = kBlockThreads}, tree, job);
}

void GpuRunner::step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job,
                     u64 items, device::Stream& stream) {
  kernels.launch(module_of(updates_, kernels, device_), step, tree, job, items, stream);
}

void GpuRunner::sort(device::SortPairs& pairs, device::DevicePool& pool, device::Stream& stream) {
  if (sorter_ == nullptr) return sort_on_host(pairs, stream);
  sorter_->sort(pairs, 8 * pairs.key_bytes, pool, stream);
}

}  // namespace lanewise::index
