#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Reads and writes of data used once, which must not evict reused data from a GPU's caches.

#include "index/image/format.h"

namespace lanewise::index {

#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
LANES_FN u64 evicted_first() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
#endif

/// Data read once bypasses the first-level cache, and the second level evicts it first; data written
/// is not read here.
struct Once {
  template <class Part>
  static LANES_FN Part load(const Part* from) {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    union {
      u32 words[4];
      u64 word;
      Part part;
    } loaded;
    if constexpr (sizeof(Part) == 16) {
      asm("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
          : "=r"(loaded.words[0]), "=r"(loaded.words[1]), "=r"(loaded.words[2]), "=r"(loaded.words[3])
          : "l"(from), "l"(evicted_first()));
      return loaded.part;
    } else if constexpr (sizeof(Part) == 8) {
      asm("ld.global.L1::no_allocate.L2::cache_hint.u64 %0, [%1], %2;"
          : "=l"(loaded.word)
          : "l"(from), "l"(evicted_first()));
      return loaded.part;
    } else if constexpr (sizeof(Part) == 4) {
      asm("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
          : "=r"(loaded.words[0])
          : "l"(from), "l"(evicted_first()));
      return loaded.part;
    }
#endif
    return *from;
  }
  template <class Part>
  static LANES_FN void store(Part* to, Part part) {
#if defined(__CUDACC__)
    __stcs(to, part);
#else
    *to = part;
#endif
  }
};

/// Data that other lanes also read.
struct Often {
  template <class Part>
  static LANES_FN Part load(const Part* from) {
    return *from;
  }
  template <class Part>
  static LANES_FN void store(Part* to, Part part) {
    *to = part;
  }
};

}  // namespace lanewise::index
