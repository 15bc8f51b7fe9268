#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lanewise::index {

/// How a batch of keys is looked up on the host. Every strategy gives the same results.
enum class Strategy {
  binary,       ///< one key after the other, with binary search within a node
  interleaved,  ///< many keys at once, level by level, with prefetching; plain loops
  avx2,         ///< the same, a line in two registers
  avx512,       ///< the same, a line in one register
};

inline constexpr Strategy kStrategies[] = {Strategy::binary, Strategy::interleaved, Strategy::avx2,
                                           Strategy::avx512};

std::string_view name(Strategy strategy);
/// The strategy of that name, or the fastest supported one for "auto"; nothing for unknown names.
std::optional<Strategy> parse_strategy(std::string_view text);
/// Whether this machine supports it.
bool supported(Strategy strategy);
Strategy fastest_strategy();
std::vector<Strategy> supported_strategies();

}  // namespace lanewise::index
