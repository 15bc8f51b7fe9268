#pragma once

#include <algorithm>
#include <utility>

#include "active/active_set.h"
#include "ops/join/build.h"

namespace lanewise::ops {

/// Iterates over the candidates of a chunk's rows: pairs of a row and a row of the build side.
class Pairs {
 public:
  /// The runs of the active rows. All arguments must outlive this object.
  Pairs(const Build& build, const ActiveSet& active, Runs runs)
      : build_(build), list_(active.list()), runs_(runs) {}

  /// The next pairs, at most `most`; 0: none is left. Rows whose bit is set in `done` are skipped from now
  /// on. Where it is there, rows have a few pairs in a first round, more in the next: one may suffice. Null:
  /// each row has all of its pairs at once.
  uint32_t next(uint32_t most, uint32_t* rows, uint32_t* matches, const uint64_t* done = nullptr) {
    uint32_t count = 0;
    while (count < most && (at_ < list_.size() || (count == 0 && next_round()))) {
      const uint32_t row = list_[at_];
      const uint32_t end = done == nullptr ? runs_.count[row] : std::min<uint64_t>(runs_.count[row], end_);
      const uint32_t begin = begin_ + emitted_, left = begin < end ? end - begin : 0;
      const bool is_done = done != nullptr && bits::test(done, row);
      if (left == 0 || is_done) {
        goes_on_ |= !is_done && end < runs_.count[row];
        ++at_;
        emitted_ = 0;
        continue;
      }
      const uint32_t now = std::min(left, most - count), first = runs_.first[row] + begin;
      for (uint32_t i = 0; i < now; ++i) {
        rows[count + i] = row;
        matches[count + i] = build_.row(first + i);
      }
      count += now;
      emitted_ += now;
    }
    return count;
  }

 private:
  static constexpr uint64_t kFirstPairs = 8, kGrowth = 8;

  /// Whether rows have more pairs than those of the rounds so far.
  bool next_round() {
    if (!std::exchange(goes_on_, false)) return false;
    begin_ = static_cast<uint32_t>(end_);
    end_ *= kGrowth;
    at_ = 0;
    return true;
  }

  const Build& build_;
  std::span<const uint32_t> list_;
  Runs runs_;
  size_t at_ = 0;       // index in the list
  uint32_t begin_ = 0;  // of a run's rows: those of the current round
  uint64_t end_ = kFirstPairs;
  uint32_t emitted_ = 0;  // of the current row's in this round
  bool goes_on_ = false;  // a row has more than those
};

}  // namespace lanewise::ops
