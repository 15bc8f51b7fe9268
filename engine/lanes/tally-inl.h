#pragma once

#include "lanes/rows.h"

namespace lanewise::lanes {

/// Adds what a group does to Stats.
struct StatsTally {
  static constexpr bool kOn = true;
  Stats& stats;
  LANES_FN void refill() { stats.refills++; }
  LANES_FN void walk(u64 lane_steps, u64 live_steps, u64 bytes) {
    stats.lane_steps += lane_steps;
    stats.live_steps += live_steps;
    stats.stepped_bytes += bytes;
  }
};

/// Books a row by setting its bit.
struct SetBit {
  u64* hits;
  LANES_FN void operator()(u64 row) const { hits[row / 64] |= u64(1) << row % 64; }
};

}  // namespace lanewise::lanes
