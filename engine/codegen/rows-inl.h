#pragma once

#include "expr/gpu/arithmetic-inl.h"
#include "expr/gpu/casts-inl.h"
#include "expr/gpu/compare-inl.h"

/// Parts of every generated kernel: its arguments, the active rows, faults, and the reduction of aggregates'
/// states.
namespace lanewise::kernel {

/// Words of most kernels' Job, and of the largest one: CUDA guarantees only 4 KB of arguments.
inline constexpr u32 kJobWords = 128, kMostJobWords = 500;
#if !defined(LANEWISE_JOB_WORDS)  // sources that need more define it
#if defined(__CUDACC__)
#define LANEWISE_JOB_WORDS kJobWords
#else
#define LANEWISE_JOB_WORDS kMostJobWords  // the driver reads only as many as the kernel takes
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

inline constexpr u32 kThreads = 256;  // of a block, except in groups-inl.h
// Instead of a row of a build side: no row matches, or because of NULLs it is unknown whether one does.
inline constexpr u32 kNoRow = ~u32(0), kUnknownRow = kNoRow - 1;

/// A run: rows of a build side with equal keys, as a range of places in the order of runs.
struct alignas(8) Matches {
  u32 first, count;
};

/// Moves each value one place down. Loops that are not unrolled use this to read registers one by one.
template <class T, u32 kCount>
LANES_FN void shift(T (&values)[kCount]) {
  for (u32 i = 0; i + 1 < kCount; i++) values[i] = values[i + 1];
}

#if defined(__CUDACC__)

/// Loads a value of up to 4 bytes as a word; value_of() converts it back.
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

/// The active rows among [32 * word, 32 * word + 32), as bits; all of them if there is no bitmap.
LANES_FN u32 active_word(const u32* active, u64 word, u64 rows) {
  if (word * 32 >= rows) return 0;
  if (active) return active[word];
  const u64 left = rows - word * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

/// kWords words from `first` on; lane i gets the i-th one.
template <u32 kWords>
LANES_FN u32 active_words(const u32* active, u64 first, u64 rows) {
  return lane() < kWords ? active_word(active, first + lane(), rows) : 0;
}

/// Reports a row that failed; the smallest row number is kept.
LANES_FN void note_fault(u64* fault, u64 row) {
  atomicMin(reinterpret_cast<unsigned long long*>(fault), row);
}

/// Merges the states of all threads of the block into `total`, the block's own. Every thread must call it.
/// Lanes pass their states in turn; one merge site keeps compile time low.
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
