#include "lanes/search/find_runs.h"

#include <algorithm>

#include "base/error.h"
#include "lanes/search/find_search.h"
#include "lanes/tables/kind_sets.h"

namespace lanewise::lanes {
namespace {

class RunNeedle {
 public:
  RunNeedle(const Scans& scans, const KindTable& bytes, u64 length)
      : scans_(scans), bytes_(bytes), length_(length) {}

  u64 shortest() const { return length_; }
  u64 scan(const u8* at, u64 blocks, const u8* end, u64* masks) const {
    const u64 left = u64(end - at), words = blocks + (length_ + 63) / 64;
    const u64 looked = std::min(words, (left + 63) / 64);
    u64 bits[kTileBlocks + kAhead + 1];  // bit of a byte: whether a run of `have` starts there
    u64 found = 0;
    for (u64 i = 0; i < looked; i += 64) {
      found |= scans_.members(at + 64 * i, std::min<u64>(looked - i, 64), bytes_, bits + i);
    }
    if (!found) return 0;
    if (left < 64 * looked) bits[looked - 1] &= (u64(1) << left % 64) - 1;
    std::fill(bits + looked, bits + words + 1, 0);
    for (u64 have = 1, step; have < length_; have += step) {
      step = std::min(have, length_ - have);
      and_with_moved(bits, words, step);
    }
    found = 0;
    for (u64 i = 0; i < blocks; i++) {
      masks[i] = bits[i];
      found |= u64(bits[i] != 0) << i;
    }
    return found;
  }
  bool exact() const { return true; }
  u64 size_at(const u8*) const { return length_; }

 private:
  static constexpr u64 kAhead = RunFinder::kLongest / 64;

  /// Bit k &= bit k + step. A zero word follows the words.
  static void and_with_moved(u64* bits, u64 words, u64 step) {
    const u64 whole = step / 64, rest = step % 64;
    for (u64 i = 0; i + whole < words; i++) {
      const u64 low = bits[i + whole] >> rest, high = bits[i + whole + 1] << (63 - rest) << 1;
      bits[i] &= low | high;
    }
    for (u64 i = words - std::min(whole, words); i < words; i++) bits[i] = 0;
  }

  const Scans& scans_;
  const KindTable& bytes_;
  const u64 length_;
};

}  // namespace

bool RunFinder::offers(const std::bitset<256>& bytes) { return has_exact_kinds(bytes); }

RunFinder::RunFinder(Target target, const std::bitset<256>& bytes, u64 length)
    : target_(target), length_(length), bytes_(kinds_of_set(bytes)) {
  invariant(supported(target) && offers(bytes), "a run finder's target is supported and knows its bytes");
  invariant(length > 0 && length <= kLongest, "a run has a length");
}

Target RunFinder::match(const StringRows& rows, const u64* active, u64* hits, u64* candidates) const {
  const Scans& scans = scans_of(target_);
  const u64 looked_at = find_rows(RunNeedle(scans, bytes_, length_), rows, active, hits);
  if (candidates) *candidates += looked_at;
  return scans.target;
}

Target RunFinder::match_lines(const u8* text, u64 size, std::vector<Line>& lines) const {
  const Scans& scans = scans_of(target_);
  find_lines(RunNeedle(scans, bytes_, length_), text, size, lines);
  return scans.target;
}

}  // namespace lanewise::lanes
