#pragma once

#include "expr/gpu/arithmetic-inl.h"
#include "expr/gpu/casts-inl.h"
#include "expr/gpu/compare-inl.h"

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
// For a build side: a join finds none, or none as far as NULLs show.
inline constexpr u32 kNoRow = ~u32(0), kUnknownRow = kNoRow - 1;

/// Rows of a build side that have equal keys: where they are in the order of such runs.
struct alignas(8) Matches {
  u32 first, count;
};

/// Each value takes the place before its own: what a loop over registers does where it cannot be unrolled.
template <class T, u32 kCount>
LANES_FN void shift(T (&values)[kCount]) {
  for (u32 i = 0; i + 1 < kCount; i++) values[i] = values[i + 1];
}

#if defined(__CUDACC__)

/// A value of up to 4 bytes as a word, and back.
LANES_FN u32 word_at(u64 column, u32 bytes, u64 row) {
  if (bytes == 1) return reinterpret_cast<const u8*>(column)[row];
  if (bytes == 2) return reinterpret_cast<const unsigned short*>(column)[row];
  return reinterpret_cast<const u32*>(column)[row];
}
template <class T>
LANES_FN T value_of(u32 word) {
  static_assert(sizeof(T) <= sizeof(u32));
  T value;
  memcpy(&value, &word, sizeof(T));
  return value;
}

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

/// Adds the states of all threads of the block to `total`, which is the block's own. Every thread calls it.
/// Some lanes at a time hand theirs over, and there is one place that merges: it compiles fastest.
template <class State>
LANES_FN void add_up(State& state, State* total) {
  constexpr u32 kAtOnce = sizeof(State) <= 1024 ? 32 : 8;
  __shared__ u64 shared[kAtOnce][sizeof(State) / 8];
  LANEWISE_ROLLED
  for (u32 first = kThreads - kAtOnce; first > 0; first = first > kAtOnce ? first - kAtOnce : first / 2) {
    const u32 count = first < kAtOnce ? first : kAtOnce, place = threadIdx.x - first;
    if (place < count) *reinterpret_cast<State*>(shared[place]) = state;
    __syncthreads();
    if (threadIdx.x < count) state.merge(*reinterpret_cast<const State*>(shared[threadIdx.x]));
    __syncthreads();
  }
  if (threadIdx.x == 0) total->merge(state);
}

#endif

}  // namespace lanewise::kernel
