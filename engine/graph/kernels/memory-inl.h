#pragma once

// Freestanding: this text is also compiled by NVRTC. Words that many threads access concurrently, without
// ordering: the memory operations of graph algorithms, on GPUs and cores.

#include "lanes/lane.h"

namespace lanewise::graph {

using lanes::u32;
using lanes::u64;

constexpr u32 kNobody = ~0u;  // no vertex, no element

template <class Word>
LANES_FN Word load(const Word* at) {
#if defined(__CUDACC__)
  return *static_cast<const volatile Word*>(at);
#else
  return __atomic_load_n(at, __ATOMIC_RELAXED);
#endif
}

template <class Word>
LANES_FN void store(Word* at, Word value) {
#if defined(__CUDACC__)
  *static_cast<volatile Word*>(at) = value;
#else
  __atomic_store_n(at, value, __ATOMIC_RELAXED);
#endif
}

/// Compare and swap: returns whether the word was `expected` and now is `value`.
template <class Word>
LANES_FN bool swap_if(Word* at, Word expected, Word value) {
#if defined(__CUDACC__)
  return atomicCAS(at, expected, value) == expected;
#else
  return __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/// A value of the word since the step began: cheaper than load().
template <class Word>
LANES_FN Word peek(const Word* at) {
#if defined(__CUDACC__)
  return *at;
#else
  return load(at);
#endif
}

/// Stores the minimum of the word and `value`.
LANES_FN void lower(u32* at, u32 value) {
  if (peek(at) <= value) return;
#if defined(__CUDACC__)
  atomicMin(at, value);
#else
  u32 there = load(at);
  while (there > value && !swap_if(at, there, value)) there = load(at);
#endif
}
LANES_FN void lower(u64* at, u64 value) {
  if (peek(at) <= value) return;
#if defined(__CUDACC__)
  atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
#else
  u64 there = load(at);
  while (there > value && !swap_if(at, there, value)) there = load(at);
#endif
}

/// The next free index, of which `count` is the number taken so far.
LANES_FN u32 take_place(u32* count) {
#if defined(__CUDACC__)
  // One addition for all active lanes of a warp.
  const u32 here = __activemask(), lane = threadIdx.x % 32;
  const u32 first = __ffs(here) - 1;
  u32 place = 0;
  if (lane == first) place = atomicAdd(count, __popc(here));
  return __shfl_sync(here, place, first) + __popc(here & ((1u << lane) - 1));
#else
  return __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}

}  // namespace lanewise::graph
