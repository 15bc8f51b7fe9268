#pragma once

#include "expr/device/arithmetic-inl.h"
#include "expr/device/casts-inl.h"
#include "expr/device/compare-inl.h"

/// What every generated kernel begins and ends with: its arguments, the active rows, faults, states of
/// aggregates put together.
namespace lanewise::kernel {

/// Words of a Job as most kernels take it, and the most that one takes: all that CUDA promises is 4 KB.
inline constexpr u32 kJobWords = 128, kMostJobWords = 500;
#if !defined(LANEWISE_JOB_WORDS)  // a source says it that needs more
#if defined(__CUDACC__)
#define LANEWISE_JOB_WORDS kJobWords
#else
#define LANEWISE_JOB_WORDS kMostJobWords  // of which the driver reads what the kernel takes
#endif
#endif

/// A kernel's arguments: addresses and numbers; the generated source knows which is which.
struct Job {
  u64 words[LANEWISE_JOB_WORDS];
  template <class T>
  LANES_FN T* at(u32 word) const {
    return reinterpret_cast<T*>(words[word]);
  }
};

LANES_FN Text text(const u32* offsets, const u8* bytes, u64 row) {
  return {bytes + offsets[row], offsets[row + 1] - offsets[row]};
}
LANES_FN Text text(const u64* offsets, const u8* bytes, u64 row) {
  return {bytes + offsets[row], offsets[row + 1] - offsets[row]};
}

inline constexpr u32 kThreads = 256;  // of a block, but for groups-inl.h

/// Each value takes the place before its own: what a loop over registers does where it cannot be unrolled.
template <class T, u32 kCount>
LANES_FN void shift(T (&values)[kCount]) {
  for (u32 i = 0; i + 1 < kCount; i++) values[i] = values[i + 1];
}

#if defined(__CUDACC__)

LANES_FN u32 lane() { return threadIdx.x & 31; }
LANES_FN u64 warp() { return (blockIdx.x * u64(blockDim.x) + threadIdx.x) / 32; }
LANES_FN u64 warps() { return u64(gridDim.x) * (blockDim.x / 32); }
LANES_FN u64 thread() { return warp() * 32 + lane(); }
LANES_FN u64 threads() { return warps() * 32; }

/// The active ones of the rows [32 * word, 32 * word + 32): those of the bitmap; without one, all.
LANES_FN u32 active_word(const u32* active, u64 word, u64 rows) {
  if (word * 32 >= rows) return 0;
  if (active) return active[word];
  const u64 left = rows - word * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

/// The words from `first` on, each by the lane of its number.
template <u32 kWords>
LANES_FN u32 active_words(const u32* active, u64 first, u64 rows) {
  return lane() < kWords ? active_word(active, first + lane(), rows) : 0;
}

/// Notes a row that failed; the least one counts.
LANES_FN void note_fault(u64* fault, u64 row) {
  atomicMin(reinterpret_cast<unsigned long long*>(fault), row);
}

/// The same state of another lane of the warp.
template <class State>
LANES_FN State from_lane(const State& state, u32 distance) {
  State other;
  const u32* from = reinterpret_cast<const u32*>(&state);
  u32* to = reinterpret_cast<u32*>(&other);
#pragma unroll
  for (u32 i = 0; i < sizeof(State) / 4; i++) to[i] = __shfl_xor_sync(~0u, from[i], distance);
  return other;
}

/// Adds the states of all threads of the block to `total`, which is the block's own. Every thread calls it.
template <class State>
LANES_FN void add_up(State& state, State* total) {
  __shared__ u64 shared[kThreads / 32][sizeof(State) / 8];
  LANEWISE_ROLLED
  for (u32 distance = 16; distance; distance /= 2) state.merge(from_lane(state, distance));
  if (lane() == 0) *reinterpret_cast<State*>(shared[threadIdx.x / 32]) = state;
  __syncthreads();
  if (threadIdx.x) return;
  State sum = *total;
  LANEWISE_ROLLED
  for (u32 i = 0; i < kThreads / 32; i++) sum.merge(*reinterpret_cast<const State*>(shared[i]));
  *total = sum;
}

#endif

}  // namespace lanewise::kernel
