#pragma once

#include "data/kernels/print-inl.h"
#include "expr/gpu/heap-inl.h"
#include "expr/gpu/strings/letters-inl.h"

/// Functions that make strings. Where the heap has no room they give what is not read: the kernel runs
/// again. Those with any `Room` are the host's, too.
namespace lanewise::kernel {

/// The longest text that a function may make.
inline constexpr u64 kLongestText = 0xffffffff;

template <class... Texts>
LANES_FN Text joined(Outcome&, Heap& heap, Texts... texts) {
  const u64 bytes = (u64(0) + ... + texts.size);
  u8* to = heap.reserve(bytes);
  if (!to) return {};
  ((to = copied(to, texts)), ...);
  return heap.made(bytes);
}

/// A text of concat_ws, or a NULL.
struct Piece {
  Text text;
  bool there;
};
/// The pieces that are not NULL, with `separator` between them.
template <class... Pieces>
LANES_FN Text joined_by(Outcome&, Heap& heap, Text separator, Pieces... pieces) {
  const u64 count = (u64(0) + ... + u64(pieces.there));
  const u64 texts = (u64(0) + ... + (pieces.there ? pieces.text.size : 0));
  const u64 bytes = texts + (count ? count - 1 : 0) * separator.size;
  u8* const to = heap.reserve(bytes);
  if (!to) return {};
  u8* next = to;
  bool first = true;
  const auto add = [&](const Piece& piece) {
    if (!piece.there) return;
    if (!first) next = copied(next, separator);
    next = copied(next, piece.text);
    first = false;
  };
  (add(pieces), ...);
  return heap.made(bytes);
}

/// Letter by letter; upper case has the capital of the German sz, which Unicode's mapping does not lead to.
/// What is malformed stays. A text that does not change is returned itself.
template <bool kUpper>
LANES_FN Text in_case(Outcome&, Heap& heap, Text text) {
  u8* const to = heap.reserve(text.size + text.size / 2);  // two bytes become three at most
  if (!to) return {};
  u64 made = 0;
  bool changed = false;
  for (u64 at = 0; at < text.size;) {
    const u8 byte = text.at[at];
    if (byte < 0x80) {
      const u8 letter = u8(byte - (kUpper ? 'a' : 'A') < 26u ? byte ^ 0x20 : byte);
      changed |= letter != byte;
      to[made++] = letter;
      ++at;
      continue;
    }
    const Decoded next = decode(slice(text, at, text.size));
    if (next.bytes == 0) {
      to[made++] = text.at[at++];
      continue;
    }
    const u32 c = next.code_point;
    const u32 letter = kUpper && c == 0xdf ? 0x1e9e
                       : kUpper            ? other_case(text::unicode::kToUpper, c)
                                           : other_case(text::unicode::kToLower, c);
    changed |= letter != c;
    made += encode(letter, to + made);
    at += next.bytes;
  }
  return changed ? heap.made(made) : text;
}

/// Writes `text` over and over until `bytes` bytes are full.
LANES_FN void fill(u8* to, u64 bytes, Text text) {
  for (u64 i = 0, from = 0; i < bytes; i++, from = from + 1 == text.size ? 0 : from + 1)
    to[i] = text.at[from];
}
LANES_FN Text repeated(Outcome& outcome, Heap& heap, Text text, i64 count) {
  const u128 bytes = u128(text.size) * u64(count < 0 ? 0 : count);
  outcome.failed |= bytes > kLongestText;
  if (outcome.failed) return {};
  u8* const to = heap.reserve(u64(bytes));
  if (!to) return {};
  fill(to, u64(bytes), text);
  return heap.made(u64(bytes));
}
template <bool kLeft>
LANES_FN Text padded(Outcome& outcome, Heap& heap, Text text, i64 length, Text pad) {
  const u64 wanted = u64(length < 0 ? 0 : length);
  const Text kept = slice(text, 0, skip_characters(text, wanted));
  u64 missing = wanted, characters = 0;
  for (u64 i = 0; i < kept.size; i++) missing -= starts_character(kept.at[i]);
  if (missing == 0 || missing > wanted) return kept;
  for (u64 i = 0; i < pad.size; i++) characters += starts_character(pad.at[i]);
  outcome.failed |= characters == 0;
  if (outcome.failed) return {};
  const u128 filled = u128(missing / characters) * pad.size + skip_characters(pad, missing % characters);
  outcome.failed |= filled + kept.size > kLongestText;
  if (outcome.failed) return {};
  const u64 bytes = u64(filled) + kept.size;
  u8* const to = heap.reserve(bytes);
  if (!to) return {};
  fill(kLeft ? to : to + kept.size, u64(filled), pad);
  copied(kLeft ? to + filled : to, kept);
  return heap.made(bytes);
}

/// From the left, without overlap.
LANES_FN Text replaced(Outcome&, Heap& heap, Text text, Text from, Text to) {
  if (from.size == 0) return text;
  u64 count = 0;
  for (u64 at = find_text(text, from, 0); at != kNowhere; at = find_text(text, from, at + from.size)) ++count;
  if (count == 0) return text;
  const u64 bytes = text.size - count * from.size + count * to.size;
  u8* next = heap.reserve(bytes);
  if (!next) return {};
  u64 done = 0;
  for (; count > 0; --count) {
    const u64 at = find_text(text, from, done);
    next = copied(copied(next, slice(text, done, at)), to);
    done = at + from.size;
  }
  copied(next, slice(text, done, text.size));
  return heap.made(bytes);
}

/// Each character of `from` replaced by its partner in `to`, or left out where it has none; of equal ones in
/// `from` the first one counts.
LANES_FN Text partner_of(Text character, Text from, Text to) {
  for (u64 at = 0, partner = 0; at < from.size;) {
    const u64 next = next_character(from, at);
    const u64 end = partner < to.size ? next_character(to, partner) : partner;
    if (next - at == character.size && equal_bytes(from.at + at, character.at, character.size))
      return slice(to, partner, end);
    at = next;
    partner = end;
  }
  return character;
}
LANES_FN Text translated(Outcome&, Heap& heap, Text text, Text from, Text to) {
  u64 bytes = 0;
  u8* out = nullptr;
  for (u32 pass = 0; pass < 2; pass++) {  // the first one counts bytes
    for (u64 at = 0; at < text.size;) {
      const u64 next = next_character(text, at);
      const Text partner = partner_of(slice(text, at, next), from, to);
      if (pass == 0) bytes += partner.size;
      if (pass == 1) out = copied(out, partner);
      at = next;
    }
    if (pass == 0) out = heap.reserve(bytes);
    if (!out) return {};
  }
  return heap.made(bytes);
}

LANES_FN Text hex_of_text(Outcome&, Heap& heap, Text text) {
  u8* const to = heap.reserve(text.size * 2);
  if (!to) return {};
  for (u64 i = 0; i < text.size; i++) {
    to[i * 2] = hex_digit(text.at[i] >> 4);
    to[i * 2 + 1] = hex_digit(text.at[i] & 15);
  }
  return heap.made(text.size * 2);
}
/// The bits of a number without leading zeros; negative ones have all bits of their type.
template <class T>
LANES_FN Text hex_of_number(Outcome&, Heap& heap, T value) {
  const u128 bits = sizeof(T) == 16 ? u128(value) : u64(value);
  u64 digits = 1;
  for (u128 rest = bits >> 4; rest; rest >>= 4) ++digits;
  u8* const to = heap.reserve(digits);
  if (!to) return {};
  for (u64 i = 0; i < digits; i++) to[digits - 1 - i] = hex_digit(u32(bits >> i * 4) & 15);
  return heap.made(digits);
}
/// The value of a hexadecimal digit, 16 for other bytes.
LANES_FN u32 hex_value(u8 letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  const u32 of_letter = (letter | 0x20u) - 'a';
  return of_letter < 6 ? of_letter + 10 : 16;
}
/// An odd first digit is a byte of its own.
LANES_FN Text unhex(Outcome& outcome, Heap& heap, Text text) {
  const u64 bytes = text.size / 2 + text.size % 2;
  u8* const to = heap.reserve(bytes);
  for (u64 i = 0; i < text.size; i++) {
    const u32 digit = hex_value(text.at[i]);
    const u64 place = i + text.size % 2;
    outcome.failed |= digit > 15;
    if (to) to[place / 2] = u8(place % 2 == 0 ? digit << 4 : i == 0 ? digit : to[place / 2] | digit);
  }
  return outcome.failed || !to ? Text{} : heap.made(bytes);
}

/// ASCII with \xHH for any byte.
template <class Room>
LANES_FN Text text_to_blob(Outcome& outcome, Room& heap, Text text) {
  u8* const to = heap.reserve(text.size);
  u64 bytes = 0;
  for (u64 i = 0; i < text.size && !outcome.failed; i++) {
    u32 byte = text.at[i];
    outcome.failed |= byte >= 0x80;
    if (byte == '\\') {
      outcome.failed |= i + 3 >= text.size || text.at[i + 1] != 'x';
      if (outcome.failed) break;
      const u32 high = hex_value(text.at[i + 2]), low = hex_value(text.at[i + 3]);
      outcome.failed |= high > 15 || low > 15;
      byte = high << 4 | low;
      i += 3;
    }
    if (to) to[bytes++] = u8(byte);
  }
  return outcome.failed || !to ? Text{} : heap.made(bytes);
}
template <class Room>
LANES_FN Text blob_to_text(Outcome&, Room& heap, Text blob) {
  Letters out(heap.reserve(letters_of_blob(blob)));
  put_blob(out, blob);
  return out.to ? heap.made(out.size) : Text{};
}

template <class Room>
LANES_FN Text character_of(Outcome& outcome, Room& heap, i64 number) {
  outcome.failed |= number < 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff);
  u8* const to = heap.reserve(4);
  return outcome.failed || !to ? Text{} : heap.made(encode(u32(number), to));
}

}  // namespace lanewise::kernel
