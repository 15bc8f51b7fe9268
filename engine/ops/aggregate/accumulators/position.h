#pragma once

#include <compare>
#include <cstdint>

namespace lanewise::ops {

/// The position of a row in the operator's input: order of its chunk, then row number.
struct Position {
  uint64_t chunk = 0;
  uint64_t row = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

}  // namespace lanewise::ops
