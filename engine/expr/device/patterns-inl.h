#pragma once

#include "expr/device/slices-inl.h"

/// Patterns that rows bring along, as expr/patterns/ has them on the host; constant ones are automata.
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

/// Where what follows the last % does not match, that takes in one byte more; what stood before it matched as
/// early as it could, and needs no other place.
LANES_FN bool like(Outcome&, Text text, Text pattern) {
  u64 i = 0, at = 0, retry = 0, behind_last = kNowhere;
  while (i < text.size) {
    if (at < pattern.size && pattern.at[at] == '%') {
      behind_last = ++at;
      retry = i;
    } else if (at < pattern.size && pattern.at[at] == '_') {
      i = next_character(text, i);
      at++;
    } else if (at < pattern.size && pattern.at[at] == text.at[i]) {
      i++;
      at++;
    } else if (behind_last != kNowhere) {
      at = behind_last;
      i = ++retry;
    } else {
      return false;
    }
  }
  while (at < pattern.size && pattern.at[at] == '%') at++;
  return at == pattern.size;
}
LANES_FN bool unlike(Outcome& outcome, Text text, Text pattern) { return !like(outcome, text, pattern); }

}  // namespace lanewise::kernel
