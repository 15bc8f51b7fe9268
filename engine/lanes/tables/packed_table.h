#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.

#include "lanes/lane.h"

namespace lanewise::lanes {

/// A whole automaton in bytes: next[state + class_of[byte]]. States are multiplied by the number of classes,
/// so that one byte holds state + class; the dead state, if there is one, is state 0.
///
/// Above 256 entries there are two halves of next, each for half the classes: those of the second have the
/// top bit, and states are multiplied by half the number of classes. The top bit is added to the state like
/// the rest of the class, so the second half is stored as if its index's top bit were the other one.
struct PackedTable {
  static constexpr u32 kSecondHalf = 128;  ///< the top bit of a class

  alignas(64) u8 next[512];
  alignas(64) u8 class_of[256];
  /// Bytes in signed order (0x80 .. 0xff, 0x00 .. 0x7f) as runs of one class: run r > 0 begins at run_start[r
  /// - 1].
  u8 run_start[15];
  alignas(16) u8 run_class[16];
  u32 runs;  ///< 0 if there are more than 16
  /// For the nibbles of a byte: the AND of of_low and of_high is its code, and the XOR of all layers'
  /// `classes` at their codes is its class.
  struct Codes {
    alignas(16) u8 of_low[16];
    alignas(16) u8 of_high[16];
    alignas(16) u8 classes[16];
  };
  static constexpr u32 kLayers = 3;
  Codes codes[kLayers];
  u32 code_layers;  ///< 0: these classes have no such codes
  /// For the nibbles of a byte, which have no bit in common if its class stays at the start (see may_stay).
  alignas(16) u8 leaving_low[16];
  alignas(16) u8 leaving_high[16];
  u32 entries;  ///< states x classes, per half if there are two
  bool has_halves;
  bool high_is_uniform;  ///< bytes >= 0x80 are all in one class
  u8 start;
  bool may_stay;      ///< some classes lead from the start state back to it:
  u8 last_staying;    ///< those up to this one
  u8 last_rejecting;  ///< state > last_rejecting: the row matches if it ends here
  u8 decided_bias;    ///< 1 if state 0 is dead, else 0
  u8 last_undecided;  ///< state - decided_bias > last_undecided: dead or matched, whatever follows
  u32 last_bytes;     ///< only this many bytes at each row's end are read; 0: all

  LANES_FN u8 step(u8 state, u8 byte) const {
    const u8 cls = class_of[byte];
    return next[(has_halves && cls >= kSecondHalf ? 256 : 0) + u8(state + cls)];
  }
};

}  // namespace lanewise::lanes
