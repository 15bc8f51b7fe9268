#pragma once

#include "lanes/lane.h"

/// What lanes of warps did, where that is counted.
namespace lanewise::kernel {

using lanes::u32;
using lanes::u64;

/// As in lanes::Stats.
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
  /// A step of the lanes that call this together, for which the others of their warp wait.
  LANES_FN void step() {
    steps.live++;
    if ((threadIdx.x & 31) == u32(__ffs(int(__activemask())) - 1)) steps.all += 32;
  }
  /// Adds what the warp's lanes counted. All of them call it.
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
