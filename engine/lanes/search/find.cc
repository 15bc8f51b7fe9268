#include "lanes/search/find.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "lanes/byte_frequency.h"
#include "lanes/search/find_search.h"
#include "lanes/search/find_targets.h"

namespace lanewise::lanes {
namespace {

/// One literal, found by its two rarest bytes.
class Literal {
 public:
  Literal(const Scans& scans, std::string_view text, const BytePair& pair, bool exact)
      : scans_(scans), text_(text), pair_(pair), exact_(exact) {
    std::memcpy(&head_, text.data(), std::min<size_t>(text.size(), 8));
    head_mask_ = text.size() >= 8 ? ~u64(0) : (u64(1) << 8 * text.size()) - 1;
  }

  u64 shortest() const { return text_.size(); }
  u64 scan(const u8* at, u64 blocks, const u8*, u64* masks) const {
    return scans_.pair(at, blocks, pair_, masks);
  }
  bool exact() const { return exact_; }
  u64 size_at(const u8* at) const {
    u64 head;
    std::memcpy(&head, at, 8);  // 8 bytes are readable anywhere in the text
    if ((head ^ head_) & head_mask_) return 0;
    if (text_.size() <= 8 || std::memcmp(at + 8, text_.data() + 8, text_.size() - 8) == 0)
      return text_.size();
    return 0;
  }

 private:
  const Scans& scans_;
  std::string_view text_;
  const BytePair pair_;
  const bool exact_;
  u64 head_ = 0, head_mask_;  // the literal's first 8 bytes
};

}  // namespace

LiteralFinder::LiteralFinder(Target target, std::string_view literal) : target_(target), literal_(literal) {
  invariant(supported(target), "a literal finder's target is supported");
  const auto at = [&](u64 i) { return u8(literal_[i]); };
  for (u64 i = 1; i < literal_.size(); i++) {
    if (byte_frequency(at(i)) < byte_frequency(at(first_))) first_ = i;
  }
  second_ = first_ == 0 && literal_.size() > 1 ? 1 : 0;
  if (literal_.size() == 1) second_ = first_;
  // The second byte, if there is a different one: a run of one byte makes a poor pair.
  for (u64 i = 0; i < literal_.size(); i++) {
    if (i == first_ || at(i) == at(first_)) continue;
    if (at(second_) == at(first_) || byte_frequency(at(i)) < byte_frequency(at(second_))) second_ = i;
  }
}

double LiteralFinder::expected_candidates() const {
  if (literal_.empty()) return 0;
  const double first = byte_frequency(u8(literal_[first_]));
  return first_ == second_ ? first : first * byte_frequency(u8(literal_[second_]));
}

Target LiteralFinder::match(const StringRows& rows, const u64* active, u64* hits, u64* candidates) const {
  if (literal_.empty()) {
    const u64 words = (rows.count + 63) / 64;
    for (u64 w = 0; w < words; w++) hits[w] = active ? active[w] : ~u64(0);
    if (rows.count % 64) hits[words - 1] &= (u64(1) << rows.count % 64) - 1;
    return scans_of(target_).target;
  }
  const Scans& scans = scans_of(target_);
  const u64 compared = find_rows(Literal(scans, literal_, pair(), exact()), rows, active, hits);
  if (candidates) *candidates += compared;
  return scans.target;
}

Target LiteralFinder::match_lines(const u8* text, u64 size, std::vector<Line>& lines) const {
  const Scans& scans = scans_of(target_);
  find_lines(Literal(scans, literal_, pair(), exact()), text, size, lines);
  return scans.target;
}

Target LiteralFinder::match_lines(const u8* text, u64 size, const Neighbours& neighbours,
                                  std::vector<Line>& lines, std::vector<Line>& open) const {
  const Scans& scans = scans_of(target_);
  find_lines(
      Literal(scans, literal_, pair(), exact()), text, size, [&](u64 at, u64 found) -> std::vector<Line>* {
        const u8 verdict = neighbours.before[at ? text[at - 1] : '\n'] & neighbours.after[text[at + found]];
        return verdict == Neighbours::kNone ? nullptr : verdict == Neighbours::kMatch ? &lines : &open;
      });
  return scans.target;
}

}  // namespace lanewise::lanes
