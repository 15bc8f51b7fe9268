#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "lanes/targets/target.h"

namespace lanewise::expr {

/// One T for each lane target, made on first use, once for all threads.
template <class T>
class PerTarget {
 public:
  template <class Make>
  const T& get(lanes::Target target, Make&& make) const {
    const auto at = static_cast<size_t>(target);
    std::call_once(once_[at], [&] { made_[at].emplace(make()); });
    return *made_[at];
  }

 private:
  static constexpr size_t kTargets = std::size(lanes::kTargets);
  mutable std::array<std::once_flag, kTargets> once_;
  mutable std::array<std::optional<T>, kTargets> made_;
};

}  // namespace lanewise::expr
