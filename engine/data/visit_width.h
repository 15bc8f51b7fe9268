#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace lanewise {

/// Calls f(T{}) with a type of `width` bytes and an alignment of at most 8, for copying values of any type.
/// Throws InternalError if no physical type has that width.
template <class F>
void visit_width(size_t width, F f) {
  struct Wide {
    uint64_t low, high;
  };
  switch (width) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    case 16:
      return f(Wide{});
    default:
      throw InternalError("no physical type has this width");
  }
}

}  // namespace lanewise
