#include "index/gpu/search/search_kernels.h"

#include <fmt/format.h>

#include <string>

#include "index/gpu/search/warp-inl.h"

namespace lanewise::index {

namespace {

constexpr std::string_view kNames[] = {"tile",   "thread", "pair",  "quad", "octet",
                                       "sorted", "blocks", "block", "keys", "segments"};

/// Threads of a tile, as measured (docs/notes/performance-index.md): 16 bytes of a key's line for each; if
/// entries are counted, neighbours of 64 bytes.
constexpr u32 kTile = 4, kCountingTile = 8;
/// All lanes that read a text read the same bytes.
constexpr u32 kLongTile = 2;

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
      if (operation == Operation::kBound || operation == Operation::kPick) return kCountingTile;
      return planes > 1 ? kLongTile : kTile;
  }
}

gpu::KernelSource SearchKernel::source() const {
  const auto in_nodes = [&](std::string_view by) {
    return planes > 1 ? fmt::format("ByParts<{}>", by) : std::string(by);
  };
  const bool segments = strategy == DeviceStrategy::segments;
  const std::string one_node = fmt::format("OneNode<{}>", in_nodes(segments ? "BySegments" : "ByKeys"));
  const std::string_view kinds[] = {"Find", "Bound", "Range", one_node, "Pick", "TextOf"};
  const std::string_view forms[] = {"words", "integers", "reals"};
  const bool in_blocks = threads() == kBlockThreads;
  const std::string way = fmt::format("{}<{}>", by_level() ? "Stored" : "Down",
                                      in_nodes(in_blocks && !by_level() ? "ByKeys" : "ByLines"));
  std::string body = fmt::format(
      R"(#include "index/gpu/search/warp-inl.h"
using namespace lanewise::index;
using Tree = FixedTree<{}, KeyForm::{}, {}, {}, {}, {}, {}, {}>;
extern "C" __global__ void __launch_bounds__(kBlockThreads) search(TreeAt at, Job job) {{
  run<{}, {}, {}>(Tree(at), job);
}}
)",
      word == 4 ? "u32" : "u64", forms[static_cast<size_t>(form)], leaf_keys, inner_keys, value_bytes, height,
      planes, text, kinds[static_cast<size_t>(operation)],
      in_blocks ? "Blocks" : fmt::format("Tiles<{}>", threads()), way);
  return {.name = fmt::format("index search, {}", name(strategy)),
          .text = std::move(body),
          .options = {"-default-device"}};  // for functions without a qualifier, such as those of format.h
}

}  // namespace lanewise::index
