#include "lanes/find.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "lanes/find_targets.h"

namespace lanewise::lanes {
namespace {

constexpr u64 kTileBlocks = 64;

const PairScan& scan_of(Target target) {
  switch (target) {
#if defined(__x86_64__)
    case Target::avx2:
      return kAvx2Scan;
    case Target::avx512:
      return kAvx512Scan;
#endif
    case Target::emulated:
      return kEmulatedScan;
    default:
      return kScalarScan;
  }
}

/// How common a byte is in names, prose and logs: 0 for the rarest.
u32 commonness(u8 byte) {
  constexpr std::string_view kAscending =
      "~^`|{}@\\#$%&!?*<>;ZQXJYKVWUGHFBjqzOLDMNRPICTESA+=()[]\"',:"
      "98765432xkwv10ybg_-mdfu.phclnrsoait/ e";
  const size_t at = kAscending.find(char(byte));
  return at == std::string_view::npos ? 0 : u32(at) + 1;
}

/// Searches ranges of rows in ascending order and books hits.
class Search {
 public:
  Search(const PairScan& scan, std::string_view literal, const BytePair& pair, const Rows& rows,
         const u64* active, u64* hits)
      : scan_(scan), literal_(literal), pair_(pair), rows_(rows), active_(active), hits_(hits) {
    std::memcpy(&head_, literal.data(), std::min<size_t>(literal.size(), 8));
    head_mask_ = literal.size() >= 8 ? ~u64(0) : (u64(1) << 8 * literal.size()) - 1;
  }

  /// The rows [first, last).
  void range(u64 first, u64 last) {
    const u64 begin = rows_.offset(first), end = rows_.offset(last);
    if (end - begin < literal_.size()) return;
    row_ = first;
    row_end_ = rows_.offset(first + 1);
    done_ = begin;
    const u64 starts_end = end - literal_.size() + 1;
    u64 masks[kTileBlocks];
    for (u64 tile = begin; tile < starts_end; tile = std::max(tile + 64 * kTileBlocks, done_)) {
      const u64 starts = std::min(starts_end - tile, 64 * kTileBlocks), blocks = (starts + 63) / 64;
      if (!scan_.scan(rows_.bytes + tile, blocks, pair_, masks)) continue;
      if (starts % 64) masks[blocks - 1] &= (u64(1) << starts % 64) - 1;
      for (u64 i = 0; i < blocks; i++) {
        if (masks[i]) resolve(tile + 64 * i, masks[i]);
      }
    }
  }

 private:
  /// The candidates base + k for bits k of `starts`.
  void resolve(u64 base, u64 starts) {
    starts = not_done(base, starts);
    while (starts) {
      const u64 at = base + u64(__builtin_ctzll(starts));
      starts &= starts - 1;
      if (!is_literal(rows_.bytes + at)) continue;
      if (at >= row_end_) move_to(at);
      if (at + literal_.size() > row_end_) continue;
      if (!active_ || (active_[row_ / 64] >> row_ % 64 & 1)) hits_[row_ / 64] |= u64(1) << row_ % 64;
      done_ = row_end_;
      starts = not_done(base, starts);
    }
  }

  u64 not_done(u64 base, u64 starts) const {
    if (done_ <= base) return starts;
    return done_ - base < 64 ? starts & ~u64(0) << (done_ - base) : 0;
  }

  bool is_literal(const u8* at) const {
    u64 head;
    std::memcpy(&head, at, 8);  // 8 bytes are readable anywhere in the text
    if ((head ^ head_) & head_mask_) return false;
    return literal_.size() <= 8 || std::memcmp(at + 8, literal_.data() + 8, literal_.size() - 8) == 0;
  }

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
    row_end_ = rows_.offset(holds + 1);
  }

  const PairScan& scan_;
  std::string_view literal_;
  const BytePair& pair_;
  const Rows& rows_;
  const u64* active_;
  u64* hits_;
  u64 head_ = 0, head_mask_;  // the literal's first 8 bytes
  u64 row_ = 0, row_end_ = 0;
  u64 done_ = 0;  // starts before this need no look
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
  const PairScan& scan = scan_of(target_);
  const BytePair pair{first_, second_, u8(literal_[first_]), u8(literal_[second_])};
  Search search(scan, literal_, pair, rows, active, hits);
  if (!active) {
    if (rows.count) search.range(0, rows.count);
    return scan.target;
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
    if (first < last && (few || lowest > last + kFew)) search.range(first, last), first = last = 0;
    if (few) {
      for (; word; word &= word - 1) {
        const u64 row = 64 * w + u64(__builtin_ctzll(word));
        search.range(row, row + 1);
      }
      continue;
    }
    if (first == last) first = lowest;
    last = highest + 1;
  }
  if (first < last) search.range(first, last);
  return scan.target;
}

}  // namespace lanewise::lanes
