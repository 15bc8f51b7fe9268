#include "graph/gpu/steps.h"

#include <cstring>

#include "base/error.h"

namespace lanewise::graph {

gpu::KernelSource Steps::threads() {
  return {.name = "graph", .text = "#include \"graph/kernels/kernels-inl.h\"\n"};
}

gpu::KernelSource Steps::blocks() {
  return {.name = "graph, tiles", .text = "#include \"graph/kernels/tile_kernels-inl.h\"\n"};
}

Steps::Steps(gpu::Device& gpu, Where where)
    : where_(where),
      stream_(gpu),
      pool_(gpu),
      staging_(gpu.staging()),
      pinned_(gpu, kMostCounts * sizeof(uint32_t), nullptr, "a count of a graph"),
      began_(gpu, true),
      ended_(gpu, true) {}

std::vector<uint32_t> Steps::read_all(const DeviceArray<uint32_t>& counts) {
  invariant(counts.size() <= kMostCounts, "counts have room in what is pinned");
  stream_.copy_to_host(pinned_.data(), counts.address(), counts.bytes());
  stream_.synchronize();
  std::vector<uint32_t> values(counts.size());
  std::memcpy(values.data(), pinned_.data(), counts.bytes());
  return values;
}

size_t Steps::at_once() const {
  if (where_ == Where::kHost) return 1'024;
  return static_cast<size_t>(stream_.device().properties().multiprocessors) * 2'048;
}

double Steps::seconds() {
  ended_.record(stream_);
  ended_.synchronize();
  return ended_.seconds_since(began_);
}

const gpu::Kernel& Steps::kernel(Kernels& kernels, const char* name) {
  if (!kernels.module) kernels.module.emplace(gpu::build(stream_.device(), kernels.source).module);
  auto found = kernels.by_name.find(name);
  if (found == kernels.by_name.end()) {
    found = kernels.by_name.emplace(name, kernels.module->kernel(name)).first;
  }
  return found->second;
}

}  // namespace lanewise::graph
