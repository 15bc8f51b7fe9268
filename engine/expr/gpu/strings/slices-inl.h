#pragma once

#include "expr/gpu/bytes-inl.h"

/// Functions that look at a text or give a part of it. A character begins with a byte that continues none.
namespace lanewise::kernel {

inline constexpr u64 kNowhere = ~u64(0);

LANES_FN bool starts_character(u8 byte) { return (byte & 0xc0) != 0x80; }
LANES_FN Text slice(Text text, u64 from, u64 to) { return {text.at + from, to - from}; }

/// Where the next character begins, and the one before.
LANES_FN u64 next_character(Text text, u64 at) {
  do ++at;
  while (at < text.size && !starts_character(text.at[at]));
  return at;
}
LANES_FN u64 previous_character(Text text, u64 at) {
  do --at;
  while (at > 0 && !starts_character(text.at[at]));
  return at;
}
/// How many of eight bytes start a character.
LANES_FN u64 starts_in(u64 word) {
  constexpr u64 kLow = 0x0101010101010101;
  return 8 - ((word >> 7 & ~(word >> 6) & kLow) * kLow >> 56);
}
/// Where character `count` begins, the text's end if there is none. Words are passed while more characters
/// are to be skipped than they can start.
LANES_FN u64 skip_characters(Text text, u64 count) {
  u64 at = 0;
  for (; count > 8 && at + 8 <= text.size; at += 8) count -= starts_in(bytes_at(text.at + at, 8));
  while (at < text.size && !(starts_character(text.at[at]) && count == 0))
    count -= starts_character(text.at[at++]);
  return at;
}
/// Where the last `count` characters begin, kNowhere where there are fewer.
LANES_FN u64 skip_characters_back(Text text, u64 count) {
  u64 at = text.size;
  if (count == 0) return at;
  for (; count > 8 && at >= 8; at -= 8) count -= starts_in(bytes_at(text.at + at - 8, 8));
  while (at > 0) {
    count -= starts_character(text.at[--at]);
    if (count == 0) return at;
  }
  return kNowhere;
}

/// The first place from `at` on where `part` stands, or kNowhere.
LANES_FN u64 find_text(Text text, Text part, u64 at) {
  for (; at + part.size <= text.size; ++at) {
    if (equal_bytes(text.at + at, part.at, part.size)) return at;
  }
  return kNowhere;
}

/// `length` characters from the 1-based `start` on; a negative start counts from the end, a negative length
/// stands for the characters before the start.
LANES_FN Text part_of_text(Outcome& outcome, Text text, i64 start, i64 length) {
  constexpr i64 kLargest = 0xffffffff;
  const bool fits =
      start >= -kLargest - 1 && start <= kLargest && length >= -kLargest - 1 && length <= kLargest;
  outcome.failed |= !fits;
  if (!fits || length == 0) return {};
  if (start > 0 || start == 0) {
    const i64 first = start - 1, begin = length < 0 ? first + length : first;
    const i64 end = length < 0 ? first : first + length;
    const i64 from = begin < 0 ? 0 : begin;
    if (end <= from) return {};
    const Text rest = slice(text, skip_characters(text, u64(from)), text.size);
    return slice(rest, 0, skip_characters(rest, u64(end - from)));
  }
  const i64 begin = length < 0 ? -start - length : -start, end = length < 0 ? -start : -start - length;
  const u64 to = end <= 0 ? text.size : skip_characters_back(text, u64(end));
  if (to == kNowhere) return {};
  const Text kept = slice(text, 0, to);
  const u64 from = skip_characters_back(kept, u64(begin - (end < 0 ? 0 : end)));
  return from == kNowhere ? kept : slice(kept, from, kept.size);
}
LANES_FN Text substring(Outcome& outcome, Text text, i64 start, i64 length) {
  return part_of_text(outcome, text, start, length);
}
LANES_FN Text substring(Outcome& outcome, Text text, i64 start) {
  return part_of_text(outcome, text, start, 0xffffffff);
}
LANES_FN Text character_at(Outcome& outcome, Text text, i64 position) {
  return part_of_text(outcome, text, position, 1);
}
LANES_FN Text left(Outcome& outcome, Text text, i64 count) {
  if (count >= 0) return part_of_text(outcome, text, 1, count);
  const u64 end = skip_characters_back(text, -u64(count));
  return end == kNowhere ? Text{} : slice(text, 0, end);
}
LANES_FN Text right(Outcome&, Text text, i64 count) {
  if (count < 0) return slice(text, skip_characters(text, -u64(count)), text.size);
  const u64 begin = skip_characters_back(text, u64(count));
  return begin == kNowhere ? text : slice(text, begin, text.size);
}

LANES_FN bool has_character(Text set, Text character) {
  for (u64 at = 0; at < set.size;) {
    const u64 next = next_character(set, at);
    if (next - at == character.size && equal_bytes(set.at + at, character.at, character.size)) return true;
    at = next;
  }
  return false;
}
template <bool kLeft, bool kRight>
LANES_FN Text trimmed(Outcome&, Text text, Text set) {
  u64 begin = 0, end = text.size;
  while (kLeft && begin < end) {
    const u64 next = next_character(text, begin);
    if (!has_character(set, slice(text, begin, next))) break;
    begin = next;
  }
  while (kRight && end > begin) {
    const u64 last = previous_character(text, end);
    if (!has_character(set, slice(text, last, end))) break;
    end = last;
  }
  return slice(text, begin, end);
}

/// Where the part begins, in characters from 1 on; 0 where it is not there.
LANES_FN i64 position(Outcome&, Text text, Text part) {
  const u64 at = find_text(text, part, 0);
  if (at == kNowhere) return 0;
  i64 count = 1;
  for (u64 i = 0; i < at; i++) count += starts_character(text.at[i]);
  return count;
}
LANES_FN i64 bit_length(Outcome&, Text text) { return i64(text.size * 8); }

/// The pieces of a text between separators; an empty one stands after each character.
struct Splitter {
  Text rest, separator;
  bool done = false;

  LANES_FN Text next() {
    u64 at;
    if (separator.size) {
      at = find_text(rest, separator, 0);
    } else {
      at = rest.size ? next_character(rest, 0) : kNowhere;
      if (at >= rest.size) at = kNowhere;
    }
    done = at == kNowhere;
    const Text piece = slice(rest, 0, done ? rest.size : at);
    if (!done) rest = slice(rest, at + separator.size, rest.size);
    return piece;
  }
};
/// Piece `number`: 1 is the first, -1 the last; empty if there is none.
LANES_FN Text piece_of(Text text, Text separator, i64 number, bool& found) {
  found = false;
  if (number < 0) {
    i64 count = 0;
    for (Splitter all{text, separator}; !all.done; ++count) all.next();
    if (number < -count) return {};
    number += count + 1;
  }
  if (number == 0) return {};
  Splitter pieces{text, separator};
  for (; number > 1 && !pieces.done; --number) pieces.next();
  found = !pieces.done;
  return found ? pieces.next() : Text{};
}
LANES_FN Text split_part(Outcome&, Text text, Text separator, i64 number) {
  bool found;
  return piece_of(text, separator, number, found);
}
LANES_FN Text split_extract(Outcome& outcome, Text text, Text separator, i64 number) {
  bool found;
  const Text piece = piece_of(text, separator, number, found);
  outcome.null = !found;
  return piece;
}

/// The first character of a text; no bytes where it is malformed.
struct Decoded {
  u32 code_point;
  u32 bytes;
};
LANES_FN Decoded decode(Text text) {
  if (text.size == 0) return {0, 0};
  const u32 lead = text.at[0];
  if (lead < 0x80) return {lead, 1};
  const u32 bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size < bytes) return {0, 0};
  u32 c = lead & (0x7f >> bytes);
  for (u32 i = 1; i < bytes; i++) {
    if (starts_character(text.at[i])) return {0, 0};
    c = c << 6 | (text.at[i] & 0x3f);
  }
  const u32 least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return {0, 0};
  return {c, bytes};
}
/// The text of these bytes, where they are well-formed.
LANES_FN Text decoded(Outcome& outcome, Text bytes) {
  for (u64 at = 0; at < bytes.size && !outcome.failed;) {
    const u32 next = decode(slice(bytes, at, bytes.size)).bytes;
    outcome.failed |= next == 0;
    at += next;
  }
  return bytes;
}
/// The first code point; of malformed text the first byte.
template <i32 kOfEmpty>
LANES_FN i32 code_point(Outcome&, Text text) {
  if (text.size == 0) return kOfEmpty;
  const Decoded first = decode(text);
  return i32(first.bytes ? first.code_point : text.at[0]);
}

}  // namespace lanewise::kernel
