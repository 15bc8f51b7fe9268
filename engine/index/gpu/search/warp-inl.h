#pragma once

// Freestanding: this text is compiled by NVRTC.

#include "index/gpu/search/search-inl.h"

namespace lanewise::index {

/// Threads of a block, whatever its groups are.
constexpr u32 kBlockThreads = 256;

#if defined(__CUDACC__)

/// T adjacent lanes of a warp, all of which are where these are if they go in step.
template <u32 T, bool kInStep>
struct Tile {
  static constexpr u32 width = T;
  u32 lane;

  LANES_FN u32 mask() const {
    return kInStep || T == 32 ? ~0u : ((1u << T % 32) - 1) << threadIdx.x % 32 / T * T;
  }

  template <class F>
  LANES_FN auto sum(F f) const {
    auto all = f(lane);
    INDEX_UNROLL for (u32 step = T / 2; step; step /= 2) all += __shfl_xor_sync(mask(), all, step);
    return all;
  }
  template <class F>
  LANES_FN void each(F f) const {
    f(lane);
  }
};

/// A warp cut into tiles: 32 / T queries go in step.
template <u32 T>
struct Tiles {
  static constexpr u32 queries = 32 / T;
  static LANES_FN u64 first() { return (blockIdx.x * u64(kBlockThreads) + threadIdx.x) / 32 * queries; }
  static LANES_FN u64 stride() { return u64(gridDim.x) * (kBlockThreads / 32) * queries; }

  template <bool kInStep, class F>
  static LANES_FN void book(u64 bits, u64 first, u64 count, F f) {
    const u32 lane = threadIdx.x % 32;
    const Tile<T, kInStep> tile{lane % T};
    const u64 q = first + lane / T;
    bool hit = false;
    if constexpr (kInStep) {
      hit = f(tile, q < count ? q : count - 1) && q < count;
    } else {
      hit = q < count && f(tile, q);
    }
    if (bits == 0) return;
    const u32 hits =
        __ballot_sync(~0u, __shfl_sync(~0u, u32(hit), lane * T % 32)) & u32((u64(1) << queries) - 1);
    if (lane != 0) return;
    if constexpr (queries == 32) {
      reinterpret_cast<u32*>(bits)[first / queries] = hits;
    } else if constexpr (queries == 16) {
      reinterpret_cast<u16*>(bits)[first / queries] = u16(hits);
    } else if constexpr (queries == 8) {
      reinterpret_cast<u8*>(bits)[first / queries] = u8(hits);
    } else {
      if (hits) atomicOr(reinterpret_cast<u32*>(bits) + first / 32, hits << first % 32);
    }
  }
};

/// All threads of a block.
struct Block {
  static constexpr u32 width = kBlockThreads;
  u32 lane;
  u64* shared;  // a word for each warp

  template <class F>
  LANES_FN auto sum(F f) const {
    auto all = f(lane);
    using Sum = decltype(all);
    INDEX_UNROLL for (u32 step = 16; step; step /= 2) all += __shfl_xor_sync(~0u, all, step);
    __syncthreads();  // what was there before has been read
    if (lane % 32 == 0) shared[lane / 32] = all;
    __syncthreads();
    all = 0;
    for (u32 warp = 0; warp < width / 32; warp++) all += Sum(shared[warp]);
    return all;
  }
  template <class F>
  LANES_FN u32 pick(F f) const {
    __syncthreads();
    if (lane == 0) shared[0] = kNone;
    __syncthreads();
    const u32 mine = f(lane);
    if (mine != kNone) shared[0] = mine;
    __syncthreads();
    return u32(shared[0]);
  }
  template <class F>
  LANES_FN void each(F f) const {
    f(lane);
  }
};

/// A block for one query after the other.
struct Blocks {
  static constexpr u32 queries = 1;
  static LANES_FN u64 first() { return blockIdx.x; }
  static LANES_FN u64 stride() { return gridDim.x; }

  template <bool kInStep, class F>
  static LANES_FN void book(u64 bits, u64 first, u64 /*count*/, F f) {
    __shared__ u64 shared[kBlockThreads / 32];
    const bool hit = f(Block{threadIdx.x, shared}, first);
    if (hit && bits != 0 && threadIdx.x == 0)
      atomicOr(reinterpret_cast<u32*>(bits) + first / 32, 1u << first % 32);
  }
};

/// The body of a kernel.
template <class Operation, class Team, class Way, class Tree>
LANES_FN void run(const Tree& tree, const Job& job) {
  for (u64 first = Team::first(); first < job.count; first += Team::stride()) {
    Team::template book<Operation::kInStep && !Tree::kLong>(
        job.found, first, job.count,
        [&](const auto& group, u64 q) { return Operation::template run<Way>(tree, group, job, q); });
  }
}

#endif

}  // namespace lanewise::index
