#pragma once

#include <optional>
#include <span>

#include "data/type.h"

namespace lanewise::expr {

/// Function::resolve of a function that takes exactly these types. Timestamps are in microseconds.
template <TypeId result, TypeId... wanted>
std::optional<Type> takes_exactly(std::span<const Type> args) {
  constexpr size_t kCount = sizeof...(wanted);
  if (args.size() != kCount) return std::nullopt;
  if constexpr (kCount != 0) {
    constexpr TypeId kWanted[] = {wanted...};
    for (size_t i = 0; i < kCount; ++i) {
      if (args[i] != Type(kWanted[i])) return std::nullopt;
    }
  }
  return Type(result);
}

}  // namespace lanewise::expr
