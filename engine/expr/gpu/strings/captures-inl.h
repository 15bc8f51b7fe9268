#pragma once

#include "expr/gpu/strings/slices-inl.h"
#include "lanes/automata/tagged-inl.h"

/// Groups of constant patterns, as text/captures/ finds them on the host. An automaton is that of a
/// text::captures::TaggedAutomaton.
namespace lanewise::kernel {

using lanes::TaggedStarts;
using lanes::TaggedView;

/// A search for a match, and where it found the groups that are requested.
template <u32 kRegisters>
struct Search {
  lanes::TaggedRegisters<kRegisters> registers;

  /// From `from` on, in the state that what stands before it begins.
  LANES_FN void run(const TaggedView& automaton, Text text, u64 from, u32 state, u32 groups) {
    for (u32 i = 0; i < 2 * groups; i++) registers.places[i] = TaggedView::kNoPlace;
    LANEWISE_ROLLED
    for (u64 at = from; at <= text.size && state != TaggedView::kDead;) {
      const u64 left = text.size - at, aligned = 8 - (reinterpret_cast<u64>(text.at + at) & 7);
      const u32 count = u32(left < aligned ? left : aligned);  // a word of memory is read once
      u64 bytes = bytes_at(text.at + at, count);
      u32 i = 0;
      LANEWISE_ROLLED
      do {  // the end is a step, too
        const u32 c = left ? automaton.class_of[u8(bytes)] : automaton.classes - 1;
        state = automaton.step(state, c, at + i, registers);
        bytes >>= 8;
      } while (++i < count && state != TaggedView::kDead);
      at += i;
    }
  }
  LANES_FN bool found(u32 group) const { return registers.places[2 * group] != TaggedView::kNoPlace; }
  LANES_FN Text group(Text text, u32 group) const {
    return found(group) ? slice(text, registers.places[2 * group], registers.places[2 * group + 1]) : Text{};
  }
};

/// A group that the pattern does not have.
LANES_FN Text no_group(Outcome&, Text) { return {}; }

/// The only group that is requested.
template <u32 kClasses, u32 kStart, u32 kRegisters>
LANES_FN Text extracted(Outcome&, Text text, const u8* class_of, const u32* steps, const u16* moves) {
  Search<kRegisters> search;
  search.run({class_of, steps, moves, kClasses}, text, 0, kStart, 1);
  return search.group(text, 0);
}

}  // namespace lanewise::kernel
