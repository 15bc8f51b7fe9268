#pragma once

// Freestanding: this text is also compiled by NVRTC. Words that many threads use at once, without an order
// between them: what a step of an algorithm on a graph needs of memory, on GPUs and cores.

#include "lanes/lane.h"

namespace lanewise::graph {

using lanes::u32;
using lanes::u64;

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

/// Whether there was `expected`, and now is `value`.
template <class Word>
LANES_FN bool swap_if(Word* at, Word expected, Word value) {
#if defined(__CUDACC__)
  return atomicCAS(at, expected, value) == expected;
#else
  return __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

}  // namespace lanewise::graph
