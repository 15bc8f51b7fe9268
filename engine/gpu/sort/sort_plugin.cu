#include <cub/device/device_radix_sort.cuh>

#include "gpu/sort/sort_plugin.h"

/// CUDA's runtime opens profilers with it. Before 2.34 glibc has it in another library, so using glibc's
/// would bind the plug-in to newer systems.
extern "C" void* dlopen(const char* file, int mode) noexcept;
extern "C" __attribute__((visibility("hidden"))) void* dlmopen(long, const char* file, int mode) noexcept {
  return dlopen(file, mode);
}

namespace lanewise::gpu {

namespace {

template <class Key, class Value>
int sort_pairs(SortJob& job) {
  cub::DoubleBuffer<Key> keys(static_cast<Key*>(job.keys[job.place]),
                              static_cast<Key*>(job.keys[1 - job.place]));
  cub::DoubleBuffer<Value> values(static_cast<Value*>(job.values[job.place]),
                                  static_cast<Value*>(job.values[1 - job.place]));
  const cudaError_t error =
      cub::DeviceRadixSort::SortPairs(job.scratch, job.scratch_bytes, keys, values, job.count, 0, job.bits,
                                      static_cast<cudaStream_t>(job.stream));
  if (job.scratch != nullptr && keys.selector != 0) job.place = 1 - job.place;
  return error;
}

}  // namespace

int lanewise_sort_version() { return kSortPluginVersion; }
int lanewise_sort_pairs_32(SortJob* job) {
  switch (job->value_bytes) {
    case 4:
      return sort_pairs<uint32_t, uint32_t>(*job);
    case 8:
      return sort_pairs<uint32_t, uint64_t>(*job);
    case 16:
      return sort_pairs<uint32_t, uint4>(*job);
    default:
      return cudaErrorInvalidValue;
  }
}
int lanewise_sort_pairs_64(SortJob* job) {
  return job->value_bytes == 4 ? sort_pairs<uint64_t, uint32_t>(*job) : cudaErrorInvalidValue;
}

}  // namespace lanewise::gpu
