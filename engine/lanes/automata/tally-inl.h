#pragma once

#include "lanes/automata/rows.h"

namespace lanewise::lanes {

/// Adds the steps of a group to Stats.
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

}  // namespace lanewise::lanes
