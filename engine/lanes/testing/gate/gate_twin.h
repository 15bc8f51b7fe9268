#pragma once

// Hand-written baselines for lane code: one purpose each, count only, no group, no source, no
// bitmap.

#include "lanes/lane.h"

namespace lanewise::lanes::gate {

/// A byte-wise automaton: next[state * 256 + byte], start 0, the last state absorbs and accepts.
struct Plain {
  const u8* next;
  u32 accept;
};

/// The same for registers: next[state + class], states multiplied by the number of classes.
struct Small {
  const u8* next;
  const u8* class_of;
  u32 entries;
  u8 accept;
};

/// The same, with the number of a byte's run as its class, for bytes below 0x80; the others are in run
/// 0.
struct Runs {
  static constexpr u32 kMost = 16;
  u8 start[kMost];  ///< of runs 1, 2, ...; 128: no such run
  u8 next[128];     ///< next[state + run], states multiplied by `runs`
  u32 runs;
  u32 entries;
  u8 accept;
};

u64 count_scalar(const Plain& a, const u32* offset, const u8* bytes, u64 rows);
template <u32 W>
u64 count_interleaved(const Plain& a, const u32* offset, const u8* bytes, u64 rows);
#if defined(__x86_64__)
/// AVX-512 VBMI; bytes >= 0x80 are in one class.
u64 count_packed(const Small& a, const u32* offset, const u8* bytes, u64 rows);
/// AVX2; at most 128 entries.
u64 count_packed(const Runs& a, const u32* offset, const u8* bytes, u64 rows);
#endif

}  // namespace lanewise::lanes::gate
