// The sort plug-in of the emulated GPU.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "gpu/sort/sort_plugin.h"

namespace {

template <class Key>
int sort(lanewise::gpu::SortJob& job) {
  if (job.scratch == nullptr) {
    job.scratch_bytes = 64 << 10;
    return 0;
  }
  const auto* keys = static_cast<const Key*>(job.keys[job.place]);
  const auto* values = static_cast<const char*>(job.values[job.place]);
  const auto bytes = static_cast<size_t>(job.value_bytes);
  const Key mask = job.bits == 8 * sizeof(Key) ? ~Key{0} : (Key{1} << job.bits) - 1;
  std::vector<uint32_t> order(job.count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
  // The contents of the pairs' first place are undefined now.
  job.place = 1 - job.place;
  auto* const to = static_cast<Key*>(job.keys[job.place]);
  auto* const values_to = static_cast<char*>(job.values[job.place]);
  for (size_t i = 0; i < order.size(); i++) {
    to[i] = keys[order[i]];
    std::memcpy(values_to + i * bytes, values + order[i] * bytes, bytes);
  }
  return 0;
}

}  // namespace

namespace lanewise::gpu {

int lanewise_sort_version() { return kSortPluginVersion; }
int lanewise_sort_pairs_32(SortJob* job) { return sort<uint32_t>(*job); }
int lanewise_sort_pairs_64(SortJob* job) { return sort<uint64_t>(*job); }

}  // namespace lanewise::gpu
