#pragma once

#include "lanes/lane.h"

/// Counts the steps of warps' lanes, if requested.
namespace lanewise::kernel {

using lanes::u32;
using lanes::u64;

/// Steps of all lanes, and of those that were busy, as in lanes::Stats.
struct LaneSteps {
  u64 all, live;
};
struct LaneTally;

#if defined(__CUDACC__)

/// Counts the steps of this thread's lane.
struct LaneTally {
  static constexpr bool kOn = true;
  LaneSteps steps{};

  LANES_FN void refill() {}
  LANES_FN void walk(u64 lane_steps, u64 live_steps, u64 /*bytes*/) {
    steps.all += lane_steps;
    steps.live += live_steps;
  }
  /// Counts a step of the lanes that call this together, while the warp's other lanes wait.
  LANES_FN void step() {
    steps.live++;
    if ((threadIdx.x & 31) == u32(__ffs(int(__activemask())) - 1)) steps.all += 32;
  }
  /// Adds the counts of the warp's lanes to `total`. All lanes must call it.
  LANES_FN void add_to(LaneSteps& total) {
    for (u32 distance = 16; distance; distance /= 2) {
      steps.all += __shfl_xor_sync(~0u, steps.all, distance);
      steps.live += __shfl_xor_sync(~0u, steps.live, distance);
    }
    if (threadIdx.x & 31) return;
    atomicAdd(&total.all, steps.all);
    atomicAdd(&total.live, steps.live);
  }
};

#endif

}  // namespace lanewise::kernel
