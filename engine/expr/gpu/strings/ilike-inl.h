#pragma once

#include "expr/gpu/strings/letters-inl.h"
#include "expr/gpu/strings/patterns-inl.h"

/// ILIKE with patterns that rows bring along: the letters of both sides in lower case, as they are read.
namespace lanewise::kernel {

/// The bytes of a pattern in lower case.
struct InLowerCase {
  Text rest;
  u32 left = 0;  ///< bytes of a letter, the next one lowest

  LANES_FN u32 next() {
    u32 byte = left & 0xff;
    left >>= 8;
    if (byte) return byte;
    if (rest.size == 0) return kPatternEnds;
    const Decoded letter = lower_letter(rest, 0);
    byte = rest.at[0];
    if (letter.bytes) {
      u8 bytes[4];
      for (u32 i = encode(letter.code_point, bytes) - 1; i > 0; i--) left = left << 8 | bytes[i];
      byte = bytes[0];
    }
    rest = slice(rest, letter.bytes ? letter.bytes : 1, rest.size);
    return byte;
  }
  LANES_FN bool ended() const { return rest.size == 0 && left == 0; }
  LANES_FN bool within_letter() const { return left != 0; }
  /// A letter of the pattern stands for all that are it in lower case, a malformed byte for itself.
  template <class Pattern>
  static LANES_FN u64 pass(Pattern& pattern, u32 byte, Text text, u64 i) {
    u32 wanted = byte;
    if (byte >= 0x80) {
      u8 bytes[4] = {u8(byte)};
      u32 count = 1;
      Pattern ahead = pattern;
      const u32 most = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      LANEWISE_ROLLED
      for (u32 next; count < most && (next = ahead.next()) < kPatternEnds; count++) bytes[count] = u8(next);
      const Decoded letter = decode({bytes, count});
      if (letter.bytes == 0) return text.at[i] == byte ? i + 1 : kNowhere;
      wanted = letter.code_point;
      pattern = ahead;
    }
    const Decoded found = lower_letter(text, i);
    return found.bytes && found.code_point == wanted ? i + found.bytes : kNowhere;
  }
};

}  // namespace lanewise::kernel
