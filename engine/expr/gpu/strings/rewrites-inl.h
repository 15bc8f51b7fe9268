#pragma once

#include "expr/gpu/strings/captures-inl.h"
#include "expr/gpu/strings/texts-inl.h"

/// Strings whose matches of a constant pattern are rewritten, as text/captures/ does it on the host.
namespace lanewise::kernel {

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
      if (begin == end && end == last_end) {  // an empty match right after the last one does not count
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
