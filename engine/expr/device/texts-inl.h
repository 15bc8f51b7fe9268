#pragma once

#include "expr/device/heap-inl.h"
#include "expr/device/slices-inl.h"
#include "text/unicode/case_runs-inl.h"

/// Functions that make texts, as expr/strings/ has them on the host. Where the heap has no room they give
/// what nobody reads: the kernel runs again.
namespace lanewise::kernel {

/// The longest text that a function may make.
inline constexpr u64 kLongestText = 0xffffffff;

LANES_FN u8* copied(u8* to, Text text) {
  for (u64 i = 0; i < text.size; i++) to[i] = text.at[i];
  return to + text.size;
}

template <class... Texts>
LANES_FN Text joined(Outcome&, Heap& heap, Texts... texts) {
  const u64 bytes = (u64(0) + ... + texts.size);
  u8* to = heap.reserve(bytes);
  if (!to) return {};
  ((to = copied(to, texts)), ...);
  return heap.made(bytes);
}

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

/// Letter by letter; upper case has the capital of the German sz, which Unicode's mapping does not lead to.
/// What is malformed stays. A text that does not change is no new one.
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

LANES_FN Text character_of(Outcome& outcome, Heap& heap, i64 number) {
  outcome.failed |= number < 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff);
  u8* const to = heap.reserve(4);
  return outcome.failed || !to ? Text{} : heap.made(encode(u32(number), to));
}

}  // namespace lanewise::kernel
