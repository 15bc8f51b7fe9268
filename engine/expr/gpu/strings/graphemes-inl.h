#pragma once

#include "expr/gpu/heap-inl.h"
#include "expr/gpu/strings/slices-inl.h"
#include "text/unicode/grapheme_runs-inl.h"

/// Grapheme clusters: characters as people see them, with all their marks (Unicode standard annex 29, version
/// 15.1, extended clusters). The host's functions call these, too.
namespace lanewise::kernel {

using text::unicode::GraphemeClass;

LANES_FN GraphemeClass grapheme_class(u32 c) {
  if (c >= 0x20 && c < 0x7f) return GraphemeClass::kOther;
  if (c >= 0xac00 && c <= 0xd7a3) return (c - 0xac00) % 28 == 0 ? GraphemeClass::kLV : GraphemeClass::kLVT;
  const auto& runs = text::unicode::GraphemeRuns::all;
  u32 first = 0, count = sizeof(runs) / sizeof(runs[0]);
  while (count > 1) {  // the last run that does not start after c
    const u32 half = count / 2;
    first = runs[first + half].start <= c ? first + half : first;
    count -= half;
  }
  return runs[first].type;
}
/// For the character at `at`.
LANES_FN GraphemeClass grapheme_class(Text text, u64 at) {
  const Decoded decoded = decode(slice(text, at, text.size));
  return decoded.bytes ? grapheme_class(decoded.code_point) : GraphemeClass::kControl;
}

LANES_FN bool extends_grapheme(GraphemeClass type) {
  using enum GraphemeClass;
  return type == kExtend || type == kExtendAlone || type == kLinker || type == kZwj;
}
LANES_FN bool breaks_graphemes(GraphemeClass type) {
  return type == GraphemeClass::kCr || type == GraphemeClass::kLf || type == GraphemeClass::kControl;
}

/// Whether two neighbours belong together whatever stands before them: rules GB3 to GB9b.
LANES_FN bool joins_grapheme(GraphemeClass a, GraphemeClass b) {
  using enum GraphemeClass;
  if (a == kCr && b == kLf) return true;
  if (breaks_graphemes(a) || breaks_graphemes(b)) return false;
  if (extends_grapheme(b) || b == kSpacingMark || a == kPrepend) return true;
  if (a == kL) return b == kL || b == kV || b == kLV || b == kLVT;
  if (a == kLV || a == kV) return b == kV || b == kT;
  return (a == kLVT || a == kT) && b == kT;
}

/// Where the cluster that starts at `at` ends.
LANES_FN u64 next_grapheme(Text text, u64 at) {
  using enum GraphemeClass;
  GraphemeClass last = grapheme_class(text, at);
  bool pictograph = last == kPictograph;  // a pictograph, then only kExtend
  bool pictograph_zwj = false;            // and one ZWJ
  bool odd_regionals = last == kRegional;
  bool consonant = last == kConsonant, linked = false;  // a consonant, then marks; with a linker among them
  while ((at = next_character(text, at)) < text.size) {
    const GraphemeClass type = grapheme_class(text, at);
    const bool together = joins_grapheme(last, type) || (pictograph_zwj && type == kPictograph) ||
                          (odd_regionals && type == kRegional) || (linked && type == kConsonant);
    if (!together) return at;
    pictograph_zwj = pictograph && type == kZwj;
    pictograph = type == kPictograph || (pictograph && extends_grapheme(type) && type != kZwj);
    odd_regionals = type == kRegional && !odd_regionals;
    linked = consonant && (type == kLinker || (linked && (type == kExtend || type == kZwj)));
    consonant = type == kConsonant || (consonant && (type == kLinker || type == kExtend || type == kZwj));
    last = type;
  }
  return text.size;
}

/// Whether each byte is a character; in ASCII "\r\n" is one too.
LANES_FN bool is_ascii(Text text) {
  u8 bytes = 0;
  for (u64 i = 0; i < text.size; i++) bytes |= text.at[i];
  return bytes < 0x80;
}
LANES_FN i64 length_grapheme(Outcome&, Text text) {
  if (is_ascii(text)) return i64(text.size);
  i64 count = 0;
  for (u64 at = 0; at < text.size; at = next_grapheme(text, at)) ++count;
  return count;
}
LANES_FN Text reversed(Outcome&, Heap& heap, Text text) {
  u8* const to = heap.reserve(text.size);
  if (!to) return {};
  const bool ascii = is_ascii(text);
  for (u64 at = 0; at < text.size;) {
    const u64 end = ascii ? at + 1 : next_grapheme(text, at);
    copied(to + text.size - end, slice(text, at, end));
    at = end;
  }
  return heap.made(text.size);
}

}  // namespace lanewise::kernel
