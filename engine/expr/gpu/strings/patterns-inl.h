#pragma once

#include "expr/gpu/strings/slices-inl.h"

/// Patterns that rows bring along, as in expr/patterns/ on the host; constant ones are automata.
namespace lanewise::kernel {

LANES_FN bool begins_with(Outcome&, Text text, Text part) {
  return part.size <= text.size && equal_bytes(text.at, part.at, part.size);
}
LANES_FN bool ends_with(Outcome&, Text text, Text part) {
  return part.size <= text.size && equal_bytes(text.at + (text.size - part.size), part.at, part.size);
}
LANES_FN bool contains(Outcome&, Text text, Text part) {
  return part.size == 0 || find_text(text, part, 0) != kNowhere;
}

/// What a pattern contains apart from bytes.
inline constexpr u32 kPatternEnds = 256, kEndsInEscape = 257, kOneCharacter = 258, kAnyText = 259;
/// No byte, and nothing of these.
inline constexpr u32 kNoEscape = 260;
/// In place of where a text goes on: anywhere from here.
inline constexpr u64 kFromHereOn = kNowhere - 1;

/// Whether a pattern takes in the whole text. Its pass() reads what it needs next and says where the text
/// goes on after that, or kNowhere. Where what follows the last wildcard does not match, that takes in one
/// byte more; what stood before it matched as early as it could, and needs no other place.
template <class Pattern>
LANES_FN bool takes(Outcome& outcome, Pattern pattern, Text text) {
  Pattern behind_last = pattern;
  u64 retry = kNowhere;
  for (u64 i = 0; i < text.size && !outcome.failed;) {
    const u64 next = pattern.pass(outcome, text, i);
    if (next == kFromHereOn) {
      if (pattern.ended()) return true;
      behind_last = pattern;
      retry = i;
    } else if (next != kNowhere) {
      i = next;
    } else if (retry != kNowhere) {
      pattern = behind_last;
      i = ++retry;
    } else {
      return false;
    }
  }
  return pattern.takes_nothing();
}

/// The bytes of a LIKE pattern as they are.
struct AsWritten {
  Text rest;

  LANES_FN u32 next() {
    if (rest.size == 0) return kPatternEnds;
    const u8 byte = rest.at[0];
    rest = slice(rest, 1, rest.size);
    return byte;
  }
  LANES_FN bool ended() const { return rest.size == 0; }
  LANES_FN bool within_letter() const { return false; }
  /// The position after byte i of `text` if that is `byte`, else kNowhere.
  template <class Pattern>
  static LANES_FN u64 pass(Pattern&, u32 byte, Text text, u64 i) {
    return text.at[i] == byte ? i + 1 : kNowhere;
  }
};

/// What is left of a LIKE pattern.
template <class Letters>
struct LikePattern {
  Letters letters;
  u32 escape;  ///< the byte that makes the next one literal, or kNoEscape

  LANES_FN u32 next() {
    bool escaped = false;
    u32 byte;
    LANEWISE_ROLLED
    while ((byte = letters.next()) == escape && !escaped) escaped = true;
    if (escaped) return byte == kPatternEnds ? kEndsInEscape : byte;
    return byte == '%' ? kAnyText : byte == '_' ? kOneCharacter : byte;
  }
  /// Fails where the text goes on, but the pattern ends in its escape.
  LANES_FN u64 pass(Outcome& outcome, Text text, u64 i) {
    const u32 wanted = next();
    if (wanted == kAnyText) return kFromHereOn;
    if (wanted == kOneCharacter) return next_character(text, i);
    outcome.failed |= wanted == kEndsInEscape;
    return wanted < kPatternEnds ? Letters::pass(*this, wanted, text, i) : kNowhere;
  }
  LANES_FN bool ended() const { return letters.ended(); }
  /// A text may end before the % at the end, even where two of them stand for one.
  LANES_FN bool takes_nothing() const {
    if (letters.within_letter()) return false;
    for (u64 i = 0; i < letters.rest.size; i++) {
      if (letters.rest.at[i] != '%') return false;
    }
    return true;
  }
};

template <class Letters>
LANES_FN bool like(Outcome& outcome, Text text, Text pattern) {
  return takes(outcome, LikePattern<Letters>{{pattern}, kNoEscape}, text);
}
/// An empty escape is the byte 0.
template <class Letters>
LANES_FN bool like(Outcome& outcome, Text text, Text pattern, Text escape) {
  outcome.failed |= escape.size > 1;
  return takes(outcome, LikePattern<Letters>{{pattern}, escape.size == 0 ? u32(0) : escape.at[0]}, text);
}
template <class Letters, class... Escape>
LANES_FN bool not_like(Outcome& outcome, Text text, Text pattern, Escape... escape) {
  return !like<Letters>(outcome, text, pattern, escape...);
}

/// What is left of a GLOB pattern.
struct GlobPattern {
  Text rest;

  LANES_FN u8 next() {
    const u8 byte = rest.at[0];
    rest = slice(rest, 1, rest.size);
    return byte;
  }
  LANES_FN bool ended() const { return rest.size == 0; }
  LANES_FN u64 pass(Outcome&, Text text, u64 i) {
    if (ended()) return kNowhere;
    u8 wanted = next();
    if (wanted == '*') return kFromHereOn;
    if (wanted == '?') return i + 1;
    if (wanted == '[') return class_has(i8(text.at[i])) ? i + 1 : kNowhere;
    if (wanted == '\\') {
      if (ended()) return kNowhere;
      wanted = next();
    }
    return text.at[i] == wanted ? i + 1 : kNowhere;
  }
  /// Reads a class after its '['. One without an end has no byte.
  LANES_FN bool class_has(i8 byte) {
    const bool inverted = !ended() && rest.at[0] == '!';
    if (inverted) next();
    bool found = false;
    for (bool first = true; !ended(); first = false) {
      const i8 low = i8(next());
      if (low == ']' && !first) return found != inverted;
      i8 high = low;
      if (!ended() && rest.at[0] == '-') {
        next();
        if (ended()) return false;
        high = i8(next());
      }
      found |= low <= byte && byte <= high;
    }
    return false;
  }
  LANES_FN bool takes_nothing() const {
    for (u64 i = 0; i < rest.size; i++) {
      if (rest.at[i] != '*') return false;
    }
    return true;
  }
};
LANES_FN bool glob(Outcome& outcome, Text text, Text pattern) {
  return takes(outcome, GlobPattern{pattern}, text);
}

}  // namespace lanewise::kernel
