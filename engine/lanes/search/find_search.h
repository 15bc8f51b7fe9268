#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "lanes/search/lines.h"
#include "lanes/string_rows.h"

// Search with bytes as lanes, for any needle. A Needle describes strings and offers
//   shortest()                    length of the shortest string, at least 1
//   scan(at, blocks, end, masks)  like those of Scans: where a string may start. The searched text ends at
//                                 `end`, at least shortest() bytes after each start that is tested.
//   size_at(at)                   length of the shortest string at `at`; 0: there is none
//   exact()                       a string of shortest() bytes is wherever scan() reports a candidate

namespace lanewise::lanes {

constexpr u64 kTileBlocks = 64;

/// The first candidate of a tile at or after a given position, without a branch.
class Following {
 public:
  Following(u64 tile, const u64* masks, u64 blocks) : tile_(tile), masks_(masks) {
    first_[blocks] = ~u64(0) / 2;
    for (u64 i = blocks; i-- > 0;) first_[i] = std::min(first(tile + 64 * i, masks[i]), first_[i + 1]);
  }
  u64 operator()(u64 at) const {
    const u64 block = (at - tile_) / 64;
    return std::min(first(at, masks_[block] >> (at - tile_) % 64), first_[block + 1]);
  }

 private:
  /// The first position of the mask, which starts at `at`; a position after all others if it is empty.
  static u64 first(u64 at, u64 mask) {
    return (at + u64(__builtin_ctzll(mask | u64(1) << 63))) | (u64(mask != 0) - 1) >> 1;
  }

  const u64 tile_;
  const u64* masks_;
  u64 first_[kTileBlocks + 1];  // in block i or later
};

/// Calls book(at, size) for each match in text[begin, end), in
/// order. A match may extend past `end`. book returns the position before which no further match is needed.
/// Returns the number of compared positions.
template <class Needle, class Book>
u64 search(const Needle& needle, const u8* text, u64 begin, u64 end, Book&& book) {
  if (end - begin < needle.shortest()) return 0;
  const auto not_done = [](u64 base, u64 done, u64 starts) {
    if (done <= base) return starts;
    return done - base < 64 ? starts & ~u64(0) << (done - base) : 0;
  };
  u64 done = begin, candidates = 0;  // starts before `done` are skipped
  const u64 starts_end = end - needle.shortest() + 1;
  u64 masks[kTileBlocks];
  for (u64 tile = begin; tile < starts_end; tile = std::max(tile + 64 * kTileBlocks, done)) {
    const u64 starts = std::min(starts_end - tile, 64 * kTileBlocks), blocks = (starts + 63) / 64;
    u64 found = needle.scan(text + tile, blocks, text + end, masks);
    if (starts % 64) masks[blocks - 1] &= (u64(1) << starts % 64) - 1;
    if constexpr (requires(Following places) { book(tile, tile, places); }) {
      if (needle.exact() && 4 * count_bits(found) > blocks) {
        candidates += book(tile, tile + starts, Following(tile, masks, blocks));
        continue;
      }
    }
    for (; found; found &= found - 1) {
      const u64 i = u64(__builtin_ctzll(found)), base = tile + 64 * i;
      u64 mask = not_done(base, done, masks[i]);
      while (mask) {
        const u64 at = base + u64(__builtin_ctzll(mask));
        mask &= mask - 1;
        candidates++;
        const u64 size = needle.exact() ? needle.shortest() : needle.size_at(text + at);
        if (size == 0) continue;
        done = book(at, size);
        mask = not_done(base, done, mask);
      }
    }
  }
  return candidates;
}

/// Maps positions in the text, in ascending order, to rows.
class RowBook {
 public:
  RowBook(const StringRows& rows, u64 shortest, const u64* active, u64* hits, u64 first)
      : rows_(rows),
        shortest_(shortest),
        active_(active),
        hits_(hits),
        row_(first),
        next_begin_(rows.offset(first + 1)) {}

  u64 operator()(u64 at, u64 size) {
    if (at >= next_begin_) move_to(at);
    const u64 end = next_begin_ - rows_.gap;
    if (at + size > end) return at + shortest_ > end ? next_begin_ : at + 1;
    hits_[row_ / 64] |= u64(1) << row_ % 64 & active_word(row_ / 64);
    return next_begin_;
  }

  /// The same for all positions of text[begin, end) if there are many: each row tests its own. Returns how
  /// many rows match.
  u64 operator()(u64 begin, u64 end, const Following& following) {
    if (begin >= next_begin_) move_to(begin);
    u64 found = 0, word = 0;
    for (u64 from = begin;; from = next_begin_, next_begin_ = rows_.offset(++row_ + 1)) {
      word |= u64(following(from) + shortest_ <= next_begin_ - rows_.gap) << row_ % 64;
      const bool last = next_begin_ >= end;
      if (!last && row_ % 64 != 63) continue;
      found += count_bits(word);
      hits_[row_ / 64] |= word & active_word(row_ / 64);
      word = 0;
      if (last) return found;
    }
  }

 private:
  u64 active_word(u64 word) const { return active_ ? active_[word] : ~u64(0); }

  /// Moves to the row that contains the byte at `at`: a few steps, then doubling ones.
  void move_to(u64 at) {
    u64 before = row_, step = 1;  // row `before` ends at or before `at`
    u64 holds = row_ + 1;
    while (rows_.offset(holds + 1) <= at) {
      before = holds;
      if (holds - row_ >= 16) step *= 2;
      holds = std::min(holds + step, rows_.count - 1);
    }
    while (holds - before > 1) {
      const u64 middle = before + (holds - before) / 2;
      (rows_.offset(middle + 1) <= at ? before : holds) = middle;
    }
    row_ = holds;
    next_begin_ = rows_.offset(holds + 1);
  }

  const StringRows& rows_;
  const u64 shortest_;
  const u64* active_;
  u64* hits_;
  u64 row_;
  u64 next_begin_;
};

/// Like RowMatcher::match, for rows that contain one of the needle's strings. Returns the number of compared
/// positions.
template <class Needle>
u64 find_rows(const Needle& needle, const StringRows& rows, const u64* active, u64* hits) {
  const u64 words = (rows.count + 63) / 64;
  std::vector<u64> copy;  // hits are written while active rows are still read
  if (active == hits) {
    copy.assign(active, active + words);
    active = copy.data();
  }
  std::fill(hits, hits + words, 0);
  u64 candidates = 0;
  const auto search_rows = [&](u64 from, u64 to) {
    RowBook book(rows, needle.shortest(), active, hits, from);
    candidates += search(needle, rows.bytes, rows.offset(from), rows.offset(to), book);
  };
  if (!active) {
    if (rows.count) search_rows(0, rows.count);
    return candidates;
  }
  // If few rows of a word are active, they are searched one by one; otherwise from the first to the last of
  // consecutive words.
  constexpr u32 kFew = 4;
  u64 first = 0, last = 0;
  for (u64 w = 0; w < words; w++) {
    u64 word = active[w];
    if (w + 1 == words && rows.count % 64) word &= (u64(1) << rows.count % 64) - 1;
    if (!word) continue;
    const bool few = count_bits(word) <= kFew;
    const u64 lowest = 64 * w + u64(__builtin_ctzll(word)),
              highest = 64 * w + 63 - u64(__builtin_clzll(word));
    if (first < last && (few || lowest > last + kFew)) search_rows(first, last), first = last = 0;
    if (few) {
      for (; word; word &= word - 1) {
        const u64 row = 64 * w + u64(__builtin_ctzll(word));
        search_rows(row, row + 1);
      }
      continue;
    }
    if (first == last) first = lowest;
    last = highest + 1;
  }
  if (first < last) search_rows(first, last);
  return candidates;
}

/// Appends the lines of text[0, size), which is empty or ends with \n, that contain one of the needle's
/// strings, none of which contains a \n, to the list returned by list_of(at, size) for the match; null: to
/// none.
template <class Needle, class ListOf>
void find_lines(const Needle& needle, const u8* text, u64 size, const ListOf& list_of) {
  u64 from = 0;  // start of the line after the last match
  search(needle, text, 0, size, [&](u64 at, u64 found) {
    std::vector<Line>* lines = list_of(at, found);
    if (lines == nullptr) return at + 1;
    const void* before = memrchr(text + from, '\n', at - from);
    const u64 begin = before ? u64(static_cast<const u8*>(before) - text) + 1 : from;
    const u64 behind = at + found;
    from = u64(static_cast<const u8*>(std::memchr(text + behind, '\n', size - behind)) - text) + 1;
    lines->push_back({u32(begin), u32(from)});
    return from;
  });
}

/// The same with one list for all.
template <class Needle>
void find_lines(const Needle& needle, const u8* text, u64 size, std::vector<Line>& lines) {
  find_lines(needle, text, size, [&](u64, u64) { return &lines; });
}

}  // namespace lanewise::lanes
