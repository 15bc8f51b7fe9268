#include "index/device/search_kernels.h"

#include <fmt/format.h>

#include <string>

#include "index/device/warp-inl.h"

namespace lanewise::index {

namespace {

constexpr std::string_view kNames[] = {"tile",   "thread", "pair",  "quad", "octet",
                                       "sorted", "blocks", "block", "keys", "segments"};

/// Threads of a tile, as measured (docs/performance-index.md): 16 bytes of a key's line for each; where
/// entries are counted, neighbours of 64 bytes.
constexpr u32 kTile = 4, kCountingTile = 8;

}  // namespace

std::string_view name(DeviceStrategy strategy) { return kNames[static_cast<size_t>(strategy)]; }

std::optional<DeviceStrategy> parse_device_strategy(std::string_view text) {
  if (text == "auto") return DeviceStrategy::tile;
  for (const DeviceStrategy strategy : kDeviceStrategies) {
    if (text == name(strategy)) return strategy;
  }
  return std::nullopt;
}

u32 SearchKernel::threads() const {
  switch (strategy) {
    case DeviceStrategy::thread:
    case DeviceStrategy::sorted:
      return 1;
    case DeviceStrategy::pair:
      return 2;
    case DeviceStrategy::quad:
      return 4;
    case DeviceStrategy::octet:
      return 8;
    case DeviceStrategy::blocks:
    case DeviceStrategy::block:
      return kBlockThreads;
    default:
      if (operation == Operation::kNode) return kBlockThreads;
      return operation == Operation::kBound || operation == Operation::kPick ? kCountingTile : kTile;
  }
}

device::KernelSource SearchKernel::source() const {
  const bool segments = strategy == DeviceStrategy::segments;
  const std::string_view kinds[] = {"Find", "Bound", "Range",
                                    segments ? "OneNode<BySegments>" : "OneNode<ByKeys>", "Pick"};
  const std::string_view forms[] = {"words", "integers", "reals"};
  const bool in_blocks = threads() == kBlockThreads;
  const std::string_view way = by_level() ? "Stored" : in_blocks ? "Down<ByKeys>" : "Down<ByLines>";
  std::string text = fmt::format(
      R"(#include "index/device/warp-inl.h"
using namespace lanewise::index;
using Tree = FixedTree<{}, KeyForm::{}, {}, {}, {}, {}>;
extern "C" __global__ void __launch_bounds__(kBlockThreads) search(TreeAt at, Job job) {{
  run<{}, {}, {}>(Tree(at), job);
}}
)",
      word == 4 ? "u32" : "u64", forms[static_cast<size_t>(form)], leaf_keys, inner_keys, value_bytes, height,
      kinds[static_cast<size_t>(operation)], in_blocks ? "Blocks" : fmt::format("Tiles<{}>", threads()), way);
  return {.name = fmt::format("index search, {}", name(strategy)),
          .text = std::move(text),
          .options = {"-default-device"}};  // of functions that say nothing else, as format.h's
}

}  // namespace lanewise::index
