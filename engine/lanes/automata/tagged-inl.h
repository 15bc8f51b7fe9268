#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.

#include "lanes/lane.h"

namespace lanewise::lanes {

/// A deterministic automaton over bytes that records positions of the text in registers: the begins and ends
/// of a match's groups. The memory belongs to the caller.
struct TaggedView {
  static constexpr u32 kDead = 0;         ///< the state that never changes
  static constexpr u32 kHere = 255;       ///< instead of a register: the current position
  static constexpr u32 kUnset = 254;      ///< instead of a register: kNoPlace
  static constexpr u32 kNote = 1u << 31;  ///< a step that records its position in the register above bit 16
  static constexpr u64 kNoPlace = ~u64(0);

  const u8* class_of;  ///< 256 entries: byte -> class; the text's end has the last class
  const u32* steps;    ///< states x classes: the next state; above bit 16 the index of its moves, or kNote
  const u16* moves;    ///< lists: length; then each move: a register, below bit 8 the register that it copies
  u32 classes;

  /// Steps from `state`, over a byte of class `c` at `place`, or over the end there; returns the next state.
  /// `registers` has get(register) and set(register, place).
  template <class Registers>
  LANES_FN u32 step(u32 state, u32 c, u64 place, Registers& registers) const {
    const u32 step = steps[state * classes + c];
    if (step & kNote) {
      registers.set(step >> 16 & 255, place);
    } else if (step >> 16) {
      const u16* move = moves + (step >> 16);
#if defined(__CUDACC__)
#pragma unroll 1  // not unrolled, to save compile time
#endif
      for (u32 left = *move; left > 0; left--) {
        const u32 to = *++move >> 8, from = *move & 255;
        registers.set(to, from == kHere ? place : from == kUnset ? kNoPlace : registers.get(from));
      }
    }
    return step & 0xffff;
  }
};

/// Registers of a TaggedView: few, kept in the lane's own registers, each selected by comparing all.
/// Recursive, as compilers turn a loop into an indexed access, and keep them in memory.
template <u32 kRegisters>
struct TaggedRegisters {
  static constexpr u32 kFew = 8;
  u64 places[kRegisters];

  template <u32 kFirst = 0>
  LANES_FN void set(u32 i, u64 place) {
    if constexpr (kRegisters > kFew) {
      places[i] = place;
    } else if constexpr (kFirst < kRegisters) {
      places[kFirst] = i == kFirst ? place : places[kFirst];
      set<kFirst + 1>(i, place);
    }
  }
  template <u32 kFirst = 0>
  LANES_FN u64 get(u32 i) const {
    if constexpr (kRegisters > kFew) {
      return places[i];
    } else if constexpr (kFirst + 1 < kRegisters) {
      const u64 behind = get<kFirst + 1>(i);
      return i == kFirst ? places[kFirst] : behind;
    } else {
      return places[kFirst];
    }
  }
};

/// Start states of searches, by the preceding byte.
struct TaggedStarts {
  u32 nothing, line_end, word_byte, other_byte;

  /// For a search in `text` from byte `from` on.
  LANES_FN u32 at(const u8* text, u64 from) const {
    if (from == 0) return nothing;
    const u8 byte = text[from - 1];
    const u8 letter = byte | 0x20;
    const bool word = (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
    return byte == '\n' ? line_end : word ? word_byte : other_byte;
  }
};

}  // namespace lanewise::lanes
