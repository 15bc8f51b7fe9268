#pragma once

// Freestanding: this text is compiled by NVRTC.

#include "index/gpu/search/warp-inl.h"
#include "index/gpu/update/update-inl.h"

namespace lanewise::index {

#if defined(__CUDACC__)

LANES_FN u64 from_lane_before(u64 value, u32 distance) { return __shfl_up_sync(~0u, value, distance); }
LANES_FN Two from_lane_before(const Two& two, u32 distance) {
  return {from_lane_before(two.a, distance), from_lane_before(two.b, distance)};
}
LANES_FN u64 from_last_lane(u64 value) { return __shfl_sync(~0u, value, 31); }
LANES_FN Two from_last_lane(const Two& two) { return {from_last_lane(two.a), from_last_lane(two.b)}; }

/// The sum over this lane of the warp and those before it.
template <class Value>
LANES_FN Value sum_up_to(Value value) {
  INDEX_UNROLL for (u32 distance = 1; distance < 32; distance *= 2) {
    const Value other = from_lane_before(value, distance);
    if (threadIdx.x % 32 >= distance) value += other;
  }
  return value;
}

/// A warp that works together, or a whole block.
template <u32 T>
struct Crew {
  static constexpr u32 width = T;
  static_assert(T == 32 || T == kBlockThreads);
  u32 lane;
  Two* shared;  // of a block: for each warp

  template <class V>
  struct PerLane {
    V value;
    LANES_FN V& operator[](u32) { return value; }
  };

  LANES_FN void sync() const {
    if constexpr (T == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  template <class F>
  LANES_FN void each(F f) const {
    f(lane);
  }
  template <class F>
  LANES_FN u32 bits(F f) const {
    return __ballot_sync(~0u, f(lane));
  }
  template <class F>
  LANES_FN auto sum(F f) const {
    return total(f(lane), [](u32, const auto&) {});
  }
  template <class F, class With>
  LANES_FN auto prefix(F f, With with) const {
    return total(f(lane), with);
  }

 private:
  /// The sum of all lanes' values; with(lane, the sum of those before it) on the way.
  template <class Value, class With>
  LANES_FN Value total(const Value& mine, With with) const {
    Value up_to = sum_up_to(mine), before = from_lane_before(up_to, 1);
    if (threadIdx.x % 32 == 0) before = Value{};
    const Value warp = from_last_lane(up_to);
    if constexpr (T == 32) {
      with(lane, before);
      return warp;
    } else {
      auto* warps = reinterpret_cast<Value*>(shared);
      __syncthreads();  // what was there before has been read
      if (lane % 32 == 0) warps[lane / 32] = warp;
      __syncthreads();
      Value all{}, earlier{};
      INDEX_UNROLL for (u32 i = 0; i < T / 32; i++) {
        if (i < lane / 32) earlier += warps[i];
        all += warps[i];
      }
      earlier += before;
      with(lane, earlier);
      return all;
    }
  }
};

/// The body of a kernel: a lane for each item.
template <class Step, class Tree>
LANES_FN void run_lanes(const Tree& tree, const UpdateJob& job, u64 items) {
  for (u64 i = blockIdx.x * u64(kBlockThreads) + threadIdx.x; i < items;
       i += u64(gridDim.x) * kBlockThreads) {
    Step::run(tree, job, i);
  }
}

/// A warp, or a block, for each item.
template <class Step, u32 T, class Tree>
LANES_FN void run_crews(const Tree& tree, const UpdateJob& job, u64 items) {
  __shared__ Two shared[kBlockThreads / 32];
  constexpr u32 kCrews = kBlockThreads / T;
  const Crew<T> crew{threadIdx.x % T, shared};
  for (u64 i = u64(blockIdx.x) * kCrews + threadIdx.x / T; i < items; i += u64(gridDim.x) * kCrews) {
    Step::run(tree, crew, job, i);
  }
}

/// A block for each chunk of items that are scanned.
template <class Step, class Tree>
LANES_FN void run_scan(const Tree& tree, const UpdateJob& job, u64 items) {
  __shared__ Two shared[kBlockThreads / 32];
  const Crew<kBlockThreads> crew{threadIdx.x, shared};
  const u64 in_chunk = kBlockThreads * scanned_of(items);
  for (u64 chunk = blockIdx.x; chunk * in_chunk < items; chunk += gridDim.x) {
    Step::run(tree, crew, job, chunk, items);
  }
}

#endif

}  // namespace lanewise::index
