#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.

#include "lanes/lane.h"

namespace lanewise::lanes {

/// How a lane interprets an automaton's states, after renumbering: the dead state, if there is one, is state
/// 0.
struct Verdicts {
  u32 start;
  u32 end_accept;    ///< state >= end_accept: the row matches if it ends here
  u32 decided_bias;  ///< 1 if state 0 is dead, else 0
  u32 decided;       ///< state - decided_bias >= decided: dead or matched in any case

  LANES_FN bool is_decided(u32 state) const { return state - decided_bias >= decided; }
  LANES_FN bool accepts(u32 state) const { return state >= end_accept; }
};

/// One load per byte, by rows: next[state * 256 + byte]. For up to 256 states.
struct ByteTable {
  const u8* next;
  LANES_FN u32 step(u32 state, u32 byte) const { return next[state << 8 | byte]; }
};

/// The same by columns: next[byte * 256 + state], so that only the load itself depends on the previous state.
/// Fastest if few lanes hide each other's latency.
struct ColumnTable {
  using State = u32;
  const u8* next;
  LANES_FN u32 step(u32 state, u32 byte) const { return (next + (byte << 8))[state]; }
};

/// By rows, states multiplied by 256 beforehand, as are the bounds of their Verdicts: next[state + byte]
/// takes one instruction less than by columns. Fastest if many lanes fill the core.
struct RowTable {
  using State = u64;  // as wide as an address: no step widens it
  const u16* next;
  LANES_FN u64 step(u64 state, u64 byte) const { return next[state + byte]; }
};

/// Two loads per byte, one of them dependent: next[state + class_of[byte]]. States are multiplied by the
/// number of classes beforehand, and so are the bounds of their Verdicts.
struct ClassTable {
  using State = u64;
  const u8* class_of;
  const u32* next;
  LANES_FN u64 step(u64 state, u64 byte) const { return (next + class_of[byte])[state]; }
};

}  // namespace lanewise::lanes
