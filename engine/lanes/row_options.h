#pragma once

#include "lanes/lane.h"

namespace lanewise::lanes {

/// Settings of a RowMatcher; every value gives the same results.
struct RowOptions {
  u32 width = 8;  ///< lanes of the target `interleaved`: 4 or 8
  u32 refill_below =
      0;               ///< refill once fewer lanes are busy; 1: once none is (naive); 0, width, more: always
  u32 last_bytes = 0;  ///< packed: only this many bytes at each row's end are read; 0: all
};

}  // namespace lanewise::lanes
