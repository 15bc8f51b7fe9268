#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// What is read or written once and is not to push from a GPU's caches what will be read again.

#include "index/image/format.h"

namespace lanewise::index {

#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
LANES_FN u64 evicted_first() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
#endif

/// What is read once passes by the first-level cache, and the second one gives it up first; what is written
/// is not looked at here.
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

/// What neighbours will look at, too.
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
