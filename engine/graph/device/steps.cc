#include "graph/device/steps.h"

#include <cstring>

namespace lanewise::graph {

device::KernelSource Steps::threads() {
  return {.name = "graph", .text = "#include \"graph/device/kernels-inl.h\"\n"};
}

device::KernelSource Steps::blocks() {
  return {.name = "graph, tiles", .text = "#include \"graph/device/tile_kernels-inl.h\"\n"};
}

Steps::Steps(device::Device& gpu, Where where)
    : where_(where),
      stream_(gpu),
      pool_(gpu),
      staging_(gpu),
      pinned_(gpu, sizeof(uint32_t), nullptr, "a count of a graph"),
      began_(gpu, true),
      ended_(gpu, true) {}

uint32_t Steps::read(const DeviceArray<uint32_t>& count) {
  stream_.copy_to_host(pinned_.data(), count.address(), sizeof(uint32_t));
  stream_.synchronize();
  uint32_t value = 0;
  std::memcpy(&value, pinned_.data(), sizeof value);
  return value;
}

double Steps::seconds() {
  ended_.record(stream_);
  ended_.synchronize();
  return ended_.seconds_since(began_);
}

const device::Kernel& Steps::kernel(Kernels& kernels, const char* name) {
  if (!kernels.module) kernels.module.emplace(device::build(stream_.device(), kernels.source).module);
  auto found = kernels.by_name.find(name);
  if (found == kernels.by_name.end()) {
    found = kernels.by_name.emplace(name, kernels.module->kernel(name)).first;
  }
  return found->second;
}

}  // namespace lanewise::graph
