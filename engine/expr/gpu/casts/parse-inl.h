#pragma once

#include "data/kernels/values-inl.h"

/// Reading strings from their beginning: what is read is taken off. ASCII, for every locale.
namespace lanewise::kernel {

LANES_FN bool is_digit(u8 c) { return c >= '0' && c <= '9'; }
LANES_FN bool is_space(u8 c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
LANES_FN bool is_letter(u8 c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
LANES_FN u8 lowered(u8 c) { return c >= 'A' && c <= 'Z' ? u8(c + 32) : c; }

/// The first byte, 0 of an empty text.
LANES_FN u8 front(Text text) { return text.size ? *text.at : u8(0); }
LANES_FN Text dropped(Text text, u64 bytes) { return {text.at + bytes, text.size - bytes}; }
LANES_FN u8 take_byte(Text& text) {
  const u8 byte = *text.at;
  text = dropped(text, 1);
  return byte;
}
LANES_FN bool take(Text& text, char c) {
  if (text.size == 0 || *text.at != u8(c)) return false;
  text = dropped(text, 1);
  return true;
}
LANES_FN Text skip_spaces(Text text) {
  while (is_space(front(text))) text = dropped(text, 1);
  return text;
}
LANES_FN bool is_blank(Text text) { return skip_spaces(text).size == 0; }

/// Whether `text` starts with `lower`, which is in lower case, in any case.
template <u32 kSize>
LANES_FN bool starts_with_word(Text text, const char (&lower)[kSize]) {
  if (text.size < kSize - 1) return false;
  for (u32 i = 0; i + 1 < kSize; i++) {
    if (lowered(text.at[i]) != u8(lower[i])) return false;
  }
  return true;
}
template <u32 kSize>
LANES_FN bool same_word(Text text, const char (&lower)[kSize]) {
  return text.size == kSize - 1 && starts_with_word(text, lower);
}
template <u32 kSize>
LANES_FN bool take_word(Text& text, const char (&lower)[kSize]) {
  const bool taken = starts_with_word(text, lower);
  if (taken) text = dropped(text, kSize - 1);
  return taken;
}

}  // namespace lanewise::kernel
