#include "lanes/find.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "lanes/find_targets.h"

namespace lanewise::lanes {
namespace {

constexpr u64 kTileBlocks = 64;

/// How common a byte is in names, prose and logs: 0 for the rarest.
u32 commonness(u8 byte) {
  constexpr std::string_view kAscending =
      "~^`|{}@\\#$%&!?*<>;ZQXJYKVWUGHFBjqzOLDMNRPICTESA+=()[]\"',:"
      "98765432xkwv10ybg_-mdfu.phclnrsoait/ e";
  const size_t at = kAscending.find(char(byte));
  return at == std::string_view::npos ? 0 : u32(at) + 1;
}

/// Finds the literal in a text and calls book(at) for each place where it stands, in order. book returns the
/// place before which no other is asked for.
class Search {
 public:
  Search(const Scans& scans, std::string_view literal, const BytePair& pair)
      : scans_(scans), literal_(literal), pair_(pair) {
    std::memcpy(&head_, literal.data(), std::min<size_t>(literal.size(), 8));
    head_mask_ = literal.size() >= 8 ? ~u64(0) : (u64(1) << 8 * literal.size()) - 1;
  }

  /// In text[begin, end).
  template <class Book>
  void run(const u8* text, u64 begin, u64 end, Book&& book) const {
    if (end - begin < literal_.size()) return;
    u64 done = begin;  // starts before this need no look
    const u64 starts_end = end - literal_.size() + 1;
    u64 masks[kTileBlocks];
    for (u64 tile = begin; tile < starts_end; tile = std::max(tile + 64 * kTileBlocks, done)) {
      const u64 starts = std::min(starts_end - tile, 64 * kTileBlocks), blocks = (starts + 63) / 64;
      if (!scans_.pair(text + tile, blocks, pair_, masks)) continue;
      if (starts % 64) masks[blocks - 1] &= (u64(1) << starts % 64) - 1;
      for (u64 i = 0; i < blocks; i++) {
        const u64 base = tile + 64 * i;
        u64 mask = not_done(base, done, masks[i]);
        while (mask) {
          const u64 at = base + u64(__builtin_ctzll(mask));
          mask &= mask - 1;
          if (!is_literal(text + at)) continue;
          done = book(at);
          mask = not_done(base, done, mask);
        }
      }
    }
  }

 private:
  static u64 not_done(u64 base, u64 done, u64 starts) {
    if (done <= base) return starts;
    return done - base < 64 ? starts & ~u64(0) << (done - base) : 0;
  }

  bool is_literal(const u8* at) const {
    u64 head;
    std::memcpy(&head, at, 8);  // 8 bytes are readable anywhere in the text
    if ((head ^ head_) & head_mask_) return false;
    return literal_.size() <= 8 || std::memcmp(at + 8, literal_.data() + 8, literal_.size() - 8) == 0;
  }

  const Scans& scans_;
  std::string_view literal_;
  const BytePair pair_;
  u64 head_ = 0, head_mask_;  // the literal's first 8 bytes
};

/// Resolves places in the text, in ascending order, to rows.
class RowBook {
 public:
  RowBook(const Rows& rows, u64 literal_size, const u64* active, u64* hits, u64 first)
      : rows_(rows),
        literal_size_(literal_size),
        active_(active),
        hits_(hits),
        row_(first),
        next_begin_(rows.offset(first + 1)) {}

  u64 operator()(u64 at) {
    if (at >= next_begin_) move_to(at);
    if (at + literal_size_ > next_begin_ - rows_.gap) return at + 1;
    if (!active_ || (active_[row_ / 64] >> row_ % 64 & 1)) hits_[row_ / 64] |= u64(1) << row_ % 64;
    return next_begin_;
  }

 private:
  /// Moves on to the row that holds the byte at `at`: a few steps, then by doubling ones.
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

  const Rows& rows_;
  const u64 literal_size_;
  const u64* active_;
  u64* hits_;
  u64 row_;
  u64 next_begin_;
};

}  // namespace

LiteralFinder::LiteralFinder(Target target, std::string_view literal) : target_(target), literal_(literal) {
  invariant(supported(target), "a literal finder's target is supported");
  const auto at = [&](u64 i) { return u8(literal_[i]); };
  for (u64 i = 1; i < literal_.size(); i++) {
    if (commonness(at(i)) < commonness(at(first_))) first_ = i;
  }
  second_ = first_ == 0 && literal_.size() > 1 ? 1 : 0;
  if (literal_.size() == 1) second_ = first_;
  // The second byte, if another one is there: a run of one byte makes a poor pair.
  for (u64 i = 0; i < literal_.size(); i++) {
    if (i == first_ || at(i) == at(first_)) continue;
    if (at(second_) == at(first_) || commonness(at(i)) < commonness(at(second_))) second_ = i;
  }
}

Target LiteralFinder::match(const Rows& rows, const u64* active, u64* hits) const {
  const u64 words = (rows.count + 63) / 64;
  if (literal_.empty()) {
    for (u64 w = 0; w < words; w++) hits[w] = active ? active[w] : ~u64(0);
    if (rows.count % 64) hits[words - 1] &= (u64(1) << rows.count % 64) - 1;
    return target_;
  }
  std::vector<u64> copy;  // hits are booked while active rows are still read
  if (active == hits) {
    copy.assign(active, active + words);
    active = copy.data();
  }
  std::fill(hits, hits + words, 0);
  const Scans& scans = scans_of(target_);
  const Search search(scans, literal_, pair());
  const auto search_rows = [&](u64 from, u64 to) {
    RowBook book(rows, literal_.size(), active, hits, from);
    search.run(rows.bytes, rows.offset(from), rows.offset(to), book);
  };
  if (!active) {
    if (rows.count) search_rows(0, rows.count);
    return scans.target;
  }
  // Few active rows of a word are searched one by one; otherwise from the first to the last of neighbouring
  // words.
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
  return scans.target;
}

Target LiteralFinder::match_lines(const u8* text, u64 size, std::vector<Line>& lines) const {
  const Scans& scans = scans_of(target_);
  u64 from = 0;  // where the line behind the last match begins
  Search(scans, literal_, pair()).run(text, 0, size, [&](u64 at) {
    const void* before = memrchr(text + from, '\n', at - from);
    const u64 begin = before ? u64(static_cast<const u8*>(before) - text) + 1 : from;
    const u64 behind = at + literal_.size();
    from = u64(static_cast<const u8*>(std::memchr(text + behind, '\n', size - behind)) - text) + 1;
    lines.push_back({u32(begin), u32(from)});
    return from;
  });
  return scans.target;
}

}  // namespace lanewise::lanes
