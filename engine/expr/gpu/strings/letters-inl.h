#pragma once

#include "expr/gpu/strings/slices-inl.h"
#include "text/unicode/case_runs-inl.h"

/// Letters as code points: their bytes, and their other case.
namespace lanewise::kernel {

LANES_FN u32 encode(u32 c, u8* to) {
  if (c < 0x80) {
    to[0] = u8(c);
    return 1;
  }
  const u32 bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (u32 i = bytes - 1; i > 0; i--, c >>= 6) to[i] = u8(0x80 | (c & 0x3f));
  to[0] = u8((0xf00 >> bytes) | c);
  return bytes;
}

/// The letter in the other case, where the runs have it.
template <u32 kCount>
LANES_FN u32 other_case(const text::unicode::CaseRun (&runs)[kCount], u32 c) {
  u32 first = 0, count = kCount;
  while (count > 0) {  // the first run that does not end before
    const u32 half = count / 2;
    const bool before = runs[first + half].hi < c;
    first = before ? first + half + 1 : first;
    count = before ? count - half - 1 : half;
  }
  if (first == kCount) return c;
  const text::unicode::CaseRun& run = runs[first];
  if (c < run.lo || (c - run.lo) % u32(run.stride) != 0) return c;
  if (run.delta == 0) return (c - run.lo) % 2 == 0 ? c + 1 : c - 1;
  return c + u32(run.delta);
}

/// The letter at a place in lower case; no bytes where it is malformed.
LANES_FN Decoded lower_letter(Text text, u64 at) {
  const u8 byte = text.at[at];
  if (byte < 0x80) return {u32(byte - 'A' < 26u ? byte ^ 0x20 : byte), 1};
  Decoded letter = decode(slice(text, at, text.size));
  if (letter.bytes) letter.code_point = other_case(text::unicode::kToLower, letter.code_point);
  return letter;
}

}  // namespace lanewise::kernel
