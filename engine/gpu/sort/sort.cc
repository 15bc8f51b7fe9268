#include "gpu/sort/sort.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "gpu/error.h"
#include "gpu/installed.h"

namespace lanewise::gpu {

namespace {

constexpr char kFile[] = "lanewise_sort.so";

std::vector<std::string> plugin_names() {
  if (const char* chosen = std::getenv("LANEWISE_SORT"); chosen != nullptr && *chosen != 0) return {chosen};
  const auto places = installed_at(kFile);
  return {places.begin(), places.end()};
}

void* pointer(cuda::Address address) { return reinterpret_cast<void*>(address); }

}  // namespace

const Sorter& Sorter::system() {
  static const Sorter& sorter = *new Sorter(plugin_names());
  return sorter;
}

Sorter::Sorter(const std::vector<std::string>& names) : library_(names, "the plug-in that sorts on GPUs") {
  const int version = library_.find<int()>("lanewise_sort_version")();
  if (version != kSortPluginVersion) {
    throw DeviceError(fmt::format("{} is of version {}, and this program needs {}", library_.name(), version,
                                  kSortPluginVersion));
  }
  sort_32_ = library_.find<int(SortJob*)>("lanewise_sort_pairs_32");
  sort_64_ = library_.find<int(SortJob*)>("lanewise_sort_pairs_64");
}

void Sorter::sort(SortPairs& pairs, unsigned bits, DevicePool& pool, Stream& stream) const {
  invariant(pairs.key_bytes == 4 || pairs.key_bytes == 8, "keys are of 32 or 64 bits");
  const bool wide = pairs.key_bytes == 4 && (pairs.value_bytes == 8 || pairs.value_bytes == 16);
  invariant(pairs.value_bytes == 4 || wide, "values are of 32 bits; with keys of 32 bits also of 64 or 128");
  invariant(pairs.count <= UINT32_MAX && bits <= pairs.key_bytes * 8, "a sort of so many pairs or bits");
  if (pairs.count < 2 || bits == 0) return;
  SortJob job{};
  for (int place : {0, 1}) {
    job.keys[place] = pointer(pairs.keys[place]);
    job.values[place] = pointer(pairs.values[place]);
  }
  job.value_bytes = static_cast<int>(pairs.value_bytes);
  job.count = static_cast<uint32_t>(pairs.count);
  job.bits = static_cast<int>(bits);
  job.place = pairs.place;
  job.stream = stream.handle();
  const auto call = [&] {
    return stream.device().run("lanewise_sort_pairs",
                               [&] { return pairs.key_bytes == 4 ? sort_32_(&job) : sort_64_(&job); });
  };
  call();
  const DeviceBuffer scratch = pool.allocate(job.scratch_bytes, stream, "Sort");
  job.scratch = pointer(scratch.address());
  call();
  pairs.place = job.place;
}

}  // namespace lanewise::gpu
