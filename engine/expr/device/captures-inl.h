#pragma once

#include "expr/device/texts-inl.h"
#include "lanes/tagged-inl.h"

/// Groups of constant patterns, as text/captures/ finds them on the host. An automaton is that of a
/// text::captures::TaggedAutomaton.
namespace lanewise::kernel {

using lanes::TaggedStarts;
using lanes::TaggedView;

/// A search for a match, and where it found the groups that are asked for.
template <u32 kRegisters>
struct Search {
  lanes::TaggedRegisters<kRegisters> registers;

  /// From `from` on, in the state that what stands before it begins.
  LANES_FN void run(const TaggedView& automaton, Text text, u64 from, u32 state, u32 groups) {
    for (u32 i = 0; i < 2 * groups; i++) registers.places[i] = TaggedView::kNoPlace;
    for (u64 at = from; at < text.size && state != TaggedView::kDead;) {
      const u64 left = text.size - at, aligned = 8 - (reinterpret_cast<u64>(text.at + at) & 7);
      const u32 count = u32(left < aligned ? left : aligned);  // a word of memory is read once
      u64 bytes = bytes_at(text.at + at, count);
      LANEWISE_ROLLED
      for (u32 i = 0; i < count && state != TaggedView::kDead; i++, bytes >>= 8)
        state = automaton.step(state, automaton.class_of[u8(bytes)], at + i, registers);
      at += count;
    }
    if (state != TaggedView::kDead) automaton.step(state, automaton.classes - 1, text.size, registers);
  }
  LANES_FN bool found(u32 group) const { return registers.places[2 * group] != TaggedView::kNoPlace; }
  LANES_FN Text group(Text text, u32 group) const {
    return found(group) ? slice(text, registers.places[2 * group], registers.places[2 * group + 1]) : Text{};
  }
};

/// A group that the pattern does not have.
LANES_FN Text no_group(Outcome&, Text) { return {}; }

/// The only group that is asked for.
template <u32 kClasses, u32 kStart, u32 kRegisters>
LANES_FN Text extracted(Outcome&, Text text, const u8* class_of, const u32* steps, const u16* moves) {
  Search<kRegisters> search;
  search.run({class_of, steps, moves, kClasses}, text, 0, kStart, 1);
  return search.group(text, 0);
}

/// Where a rewritten text goes: nowhere as long as its bytes are counted.
struct TextOutput {
  u8* to = nullptr;
  u64 bytes = 0;

  LANES_FN void put(Text text) {
    if (to) to = copied(to, text);
    bytes += text.size;
  }
  LANES_FN void put(u8 byte) {
    if (to) *to++ = byte;
    bytes++;
  }
};

/// The text with its first match rewritten, or all of them. The first word of `rewrite` says how many follow:
/// bytes, and from 256 on groups, of which the match is the first one.
template <u32 kClasses, u32 kRegisters, u32 kGroups, bool kAll>
LANES_FN Text rewritten(Outcome& outcome, Heap& heap, Text text, const u8* class_of, const u32* steps,
                        const u16* moves, const u16* rewrite, TaggedStarts starts) {
  const TaggedView automaton{class_of, steps, moves, kClasses};
  Search<kRegisters> search;
  TextOutput out;
  LANEWISE_ROLLED
  for (u32 pass = 0; pass < 2; pass++) {  // the first one counts bytes
    u64 at = 0, last_end = TaggedView::kNoPlace;
    LANEWISE_ROLLED
    while (at <= text.size) {
      search.run(automaton, text, at, starts.at(text.at, at), kGroups);
      if (!search.found(0)) break;
      const u64 begin = search.registers.places[0], end = search.registers.places[1];
      out.put(slice(text, at, begin));
      at = end;
      if (begin == end && end == last_end) {  // an empty match right behind the last one is none
        const u32 bytes = decode(slice(text, at, text.size)).bytes;
        const u64 next = at + (bytes ? bytes : 1);
        out.put(slice(text, at, next < text.size ? next : text.size));
        at = next;
        continue;
      }
      for (u32 i = 1; i <= rewrite[0]; i++) {
        if (rewrite[i] < 256) {
          out.put(u8(rewrite[i]));
        } else {
          out.put(search.group(text, rewrite[i] - 256u));
        }
      }
      last_end = end;
      if (!kAll) break;
    }
    if (pass == 0 && last_end == TaggedView::kNoPlace) return text;
    if (at < text.size) out.put(slice(text, at, text.size));
    if (pass == 1) break;
    outcome.failed |= out.bytes > kLongestText;
    if (outcome.failed) return {};
    out = {heap.reserve(out.bytes)};
    if (!out.to) return {};
  }
  return heap.made(out.bytes);
}

}  // namespace lanewise::kernel
