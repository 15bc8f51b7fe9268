#pragma once

#include <cstdint>
#include <limits>

#include "pram/tree/tree.h"

namespace lanewise::pram {

/// The minimum and the maximum; the ends of int64 mean no bound. For a bool, 0 and 1.
struct Range {
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t greatest = std::numeric_limits<int64_t>::max();

  bool always(int64_t value) const { return least == value && greatest == value; }
  bool operator==(const Range&) const = default;
};

/// The possible values of integers and bools for any input, derived from literals, sizes, and the
/// numbers of processors. Reals have no bounds.
Range range_of(const Expr& expr, const Tree& tree);

}  // namespace lanewise::pram
