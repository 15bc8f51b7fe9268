#include "index/gpu/runner.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/error.h"
#include "index/gpu/search/warp-inl.h"
#include "primitives/sort/radix_sort.h"

namespace lanewise::index {

namespace {

/// The number of blocks that keep a GPU busy if a search kernel loops over keys.
constexpr u64 kMostBlocks = 1 << 20;
/// Waves of blocks in a launch whose warps do not wait for the slowest one (SearchKernel::goes_on),
/// as measured.
constexpr u64 kWaves = 4;

/// Null if the plug-in is not there.
const gpu::Sorter* find_sorter() {
  try {
    return &gpu::Sorter::system();
  } catch (const gpu::DeviceError&) {
    return nullptr;
  }
}

void sort_on_host(const gpu::SortPairs& pairs, gpu::Stream& stream) {
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

GpuRunner::GpuRunner(gpu::Device& device) : device_(device), sorter_(find_sorter()) {
  gpu::Compiler::system();
}

const GpuRunner::Search& GpuRunner::search_of(const SearchKernel& kernel) {
  auto found = searches_.find(kernel);
  if (found == searches_.end()) {
    gpu::Module module = gpu::build(device_, kernel.source()).module;
    const int each = module.kernel("search").blocks_per_multiprocessor(kBlockThreads, 0);
    const auto at_once = static_cast<u64>(each * device_.properties().multiprocessors);
    found = searches_.emplace(kernel, Search{std::move(module), at_once}).first;
  }
  return found->second;
}

void GpuRunner::search(const SearchKernel& kernel, const TreeAt& tree, const Job& job, gpu::Stream& stream) {
  if (job.count == 0) return;
  const auto& [module, at_once] = search_of(kernel);
  const u64 queries = kBlockThreads / kernel.threads();  // of a block
  u64 blocks = (job.count + queries - 1) / queries;
  if (queries == 1) blocks = kernel.strategy == DeviceStrategy::block ? 1 : std::min(blocks, kMostBlocks);
  if (kernel.goes_on()) blocks = std::min(blocks, kWaves * at_once);
  module.kernel("search").launch(stream, {.blocks = blocks, .threads = kBlockThreads}, tree, job);
}

void GpuRunner::step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job,
                     u64 items, gpu::Stream& stream) {
  auto found = updates_.find(kernels);
  if (found == updates_.end()) {
    found = updates_.emplace(kernels, gpu::build(device_, kernels.source()).module).first;
  }
  kernels.launch(found->second, step, tree, job, items, stream);
}

void GpuRunner::sort(gpu::SortPairs& pairs, gpu::DevicePool& pool, gpu::Stream& stream) {
  if (sorter_ == nullptr) return sort_on_host(pairs, stream);
  sorter_->sort(pairs, 8 * pairs.key_bytes, pool, stream);
}

}  // namespace lanewise::index
