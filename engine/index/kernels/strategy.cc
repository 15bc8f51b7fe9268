#include "index/kernels/strategy.h"

#include "lanes/targets/target.h"

namespace lanewise::index {

std::string_view name(Strategy strategy) {
  switch (strategy) {
    case Strategy::binary:
      return "binary";
    case Strategy::interleaved:
      return "interleaved";
    case Strategy::avx2:
      return "avx2";
    case Strategy::avx512:
      return "avx512";
  }
  return "unknown";
}

std::optional<Strategy> parse_strategy(std::string_view text) {
  if (text == "auto") return fastest_strategy();
  for (const Strategy strategy : kStrategies) {
    if (text == name(strategy)) return strategy;
  }
  return std::nullopt;
}

bool supported(Strategy strategy) {
  switch (strategy) {
    case Strategy::avx2:
      return lanes::supported(lanes::Target::avx2);
    case Strategy::avx512:
      return lanes::supported(lanes::Target::avx512);
    default:
      return true;
  }
}

Strategy fastest_strategy() {
  if (supported(Strategy::avx512)) return Strategy::avx512;
  return supported(Strategy::avx2) ? Strategy::avx2 : Strategy::interleaved;
}

std::vector<Strategy> supported_strategies() {
  std::vector<Strategy> strategies;
  for (const Strategy strategy : kStrategies) {
    if (supported(strategy)) strategies.push_back(strategy);
  }
  return strategies;
}

}  // namespace lanewise::index
