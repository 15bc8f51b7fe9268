#pragma once

#include <compare>
#include <cstdint>

namespace lanewise::ops {

/// Where a row stands in the operator's input: chunks in their order, rows within.
struct Position {
  uint64_t chunk = 0;
  uint64_t row = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

}  // namespace lanewise::ops
