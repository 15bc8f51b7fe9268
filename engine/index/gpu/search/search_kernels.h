#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "gpu/modules/kernels.h"
#include "index/gpu/search/search-inl.h"

namespace lanewise::index {

/// How a device searches for a batch of keys. Every strategy gives the same results.
enum class DeviceStrategy {
  tile,      ///< a few threads of a warp for each key, their number chosen by the operation
  thread,    ///< a thread for each key
  pair,      ///< two threads
  quad,      ///< four
  octet,     ///< eight
  sorted,    ///< a thread for each key of a batch that the host sorts first; keys in device memory are not
             ///< sorted
  blocks,    ///< a block for each key: a thread for each key of a node
  block,     ///< the same, but one block searches for all keys in sequence
  keys,      ///< like blocks, but with one launch per level
  segments,  ///< likewise, with a thread for each segment of a node's keys
};

inline constexpr DeviceStrategy kDeviceStrategies[] = {
    DeviceStrategy::tile,  DeviceStrategy::thread,  DeviceStrategy::pair,   DeviceStrategy::quad,
    DeviceStrategy::octet, DeviceStrategy::sorted,  DeviceStrategy::blocks, DeviceStrategy::block,
    DeviceStrategy::keys,  DeviceStrategy::segments};

std::string_view name(DeviceStrategy strategy);
/// The strategy of that name, the default for "auto"; nothing for other names.
std::optional<DeviceStrategy> parse_device_strategy(std::string_view text);

enum class Operation { kFind, kBound, kRange, kNode, kPick, kText };

/// The compile-time parameters of a kernel.
struct SearchKernel {
  Operation operation;
  DeviceStrategy strategy;
  KeyForm form;
  u32 word;  ///< bytes of a key
  u32 leaf_keys, inner_keys, value_bytes;
  u32 height;
  u32 planes = 1;     ///< words of a key
  bool text = false;  ///< the second one is the position of a string

  auto operator<=>(const SearchKernel&) const = default;

  bool by_level() const {
    if (operation == Operation::kPick || operation == Operation::kText) return false;
    return strategy == DeviceStrategy::keys || strategy == DeviceStrategy::segments;
  }
  /// Threads per key.
  u32 threads() const;
  /// Whether it writes whole bytes of bits, also for keys not found; else it only sets bits.
  bool writes_all_bits() const { return threads() <= 4; }
  /// Whether its warps should continue with other keys: the tiles of a warp finish at different times,
  /// and a block ends with the slowest one. Other kernels are at least as fast with a block per batch part.
  bool goes_on() const {
    return threads() > 1 && threads() < 32 &&
           (operation == Operation::kFind || operation == Operation::kBound);
  }
  /// The source: the function `search` of the arguments (TreeAt, Job).
  gpu::KernelSource source() const;
};

}  // namespace lanewise::index
