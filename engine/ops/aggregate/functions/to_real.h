#pragma once

#include <cstdint>

#include "base/int128.h"

namespace lanewise::ops {

/// Converts a 128-bit integer to a floating-point number, rounded like DuckDB: each half apart, then their
/// sum; negative numbers of one half exactly.
template <class Real>
Real to_real(int128_t value) {
  const auto high = static_cast<int64_t>(value >> 64);
  const auto low = static_cast<uint64_t>(value);
  if (high == -1) return -static_cast<Real>(UINT64_MAX - low) - 1;
  return static_cast<Real>(low) + static_cast<Real>(high) * static_cast<Real>(18446744073709551616.0L);
}

}  // namespace lanewise::ops
