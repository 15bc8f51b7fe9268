#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "gpu/modules/kernels.h"
#include "index/gpu/search-inl.h"

namespace lanewise::index {

/// How a batch of keys is searched for on a device. Every strategy gives the same answers.
enum class DeviceStrategy {
  tile,      ///< a few threads of a warp for each key, as many as suit the operation
  thread,    ///< a thread for each key
  pair,      ///< two threads
  quad,      ///< four
  octet,     ///< eight
  sorted,    ///< a thread for each key of a batch that the host sorts first; keys of the device as they are
  blocks,    ///< a block for each key: in a node, a thread for each of its keys
  block,     ///< the same, but one block takes one key after the other
  keys,      ///< as blocks, but a launch for each level
  segments,  ///< likewise, and in a node a thread for each segment of its keys
};

inline constexpr DeviceStrategy kDeviceStrategies[] = {
    DeviceStrategy::tile,  DeviceStrategy::thread,  DeviceStrategy::pair,   DeviceStrategy::quad,
    DeviceStrategy::octet, DeviceStrategy::sorted,  DeviceStrategy::blocks, DeviceStrategy::block,
    DeviceStrategy::keys,  DeviceStrategy::segments};

std::string_view name(DeviceStrategy strategy);
/// The strategy of that name, "auto" the default; nothing for other names.
std::optional<DeviceStrategy> parse_device_strategy(std::string_view text);

enum class Operation { kFind, kBound, kRange, kNode, kPick, kText };

/// What is known when a kernel is compiled.
struct SearchKernel {
  Operation operation;
  DeviceStrategy strategy;
  KeyForm form;
  u32 word;  ///< bytes of a key
  u32 leaf_keys, inner_keys, value_bytes;
  u32 height;
  u32 planes = 1;     ///< words of a key
  bool text = false;  ///< the second one says where a text is

  auto operator<=>(const SearchKernel&) const = default;

  bool by_level() const {
    if (operation == Operation::kPick || operation == Operation::kText) return false;
    return strategy == DeviceStrategy::keys || strategy == DeviceStrategy::segments;
  }
  /// Threads that search for one key.
  u32 threads() const;
  /// Whether it writes bits by the byte, those of keys that are not there too; else it sets some.
  bool writes_all_bits() const { return threads() <= 4; }
  /// Whether its warps had better go on to other keys: those of tiles in step are done at different times,
  /// and a block ends with the slowest one. Others are as fast in blocks of their own, or faster.
  bool goes_on() const {
    return threads() > 1 && threads() < 32 &&
           (operation == Operation::kFind || operation == Operation::kBound);
  }
  /// Its text: the function `search` of the arguments (TreeAt, Job).
  gpu::KernelSource source() const;
};

}  // namespace lanewise::index
