#pragma once

#include "data/kernels/values-inl.h"

/// Patterns over strings that are computed: those of columns are matched by warps, in kernels of their own.
namespace lanewise::kernel {

/// Whether a complete automaton, numbered as lanes::AutomatonView says, accepts the text.
template <u32 kClasses, u32 kStart, u32 kDead, u32 kEndAccept, u32 kMatch>
LANES_FN bool walk(Outcome&, Text text, const u8* class_of, const u16* next) {
  u32 state = kStart;
  for (u64 i = 0; i < text.size && state < kMatch && state != kDead; i++)
    state = next[state * kClasses + class_of[text.at[i]]];
  return state >= kEndAccept;
}

}  // namespace lanewise::kernel
