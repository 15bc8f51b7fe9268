#pragma once

#include "lanes/automata/rows.h"
#include "lanes/lane.h"

namespace lanewise::lanes {

/// Hands out the rows [first, last) in order: all of them, or those whose bit is set in `active`. Text is
/// fetched into the cache up to kAhead bytes before its rows are taken, at most kAtOnce bytes each time: a
/// core waits for more.
template <u64 kAhead, u64 kAtOnce = kAhead>
class RowSource {
 public:
  LANES_FN RowSource(const StringRows& rows, u64 first, u64 last, const u64* active)
      : bytes_(rows.bytes),
        offsets32_(rows.offsets32),
        offsets64_(rows.offsets64),
        gap_(rows.gap),
        active_(active),
        next_(first),
        last_(last) {}

  /// The number of rows that can be taken now: at least `n` unless fewer are left. n <= 64.
  LANES_FN u64 ready(u64 n) {
    if (!active_) return last_ - next_;
    while (tail_ - head_ < n && next_ < last_) queue_word();
    return tail_ - head_;
  }
  /// An upper bound of the remaining rows, without queued ones.
  LANES_FN u64 left() const { return last_ - next_; }
  LANES_FN void drop(u64 n) {
    if (active_) {
      head_ += n;
      return;
    }
    next_ += n;
    if constexpr (kAhead != 0) fetch_from(begin(next_), begin(next_) + kAhead);
  }

  /// The i-th available row.
  LANES_FN u64 row(u64 i) const { return active_ ? queue_[(head_ + i) % kQueue] : next_ + i; }
  LANES_FN u64 begin(u64 row) const { return offsets32_ ? offsets32_[row] : offsets64_[row]; }
  LANES_FN u64 end(u64 row) const { return begin(row + 1) - gap_; }

  /// Whether available rows are consecutive, so that row(i) = row(0) + i.
  LANES_FN bool dense() const { return !active_; }
  LANES_FN const u32* offsets32() const { return offsets32_; }
  LANES_FN const u64* offsets64() const { return offsets64_; }
  LANES_FN u32 gap() const { return gap_; }

 private:
  static constexpr u64 kQueue = 128;
  static constexpr u64 kLine = 64;

  LANES_FN void fetch_from(u64 from, u64 to) {
    if (fetched_ < from) fetched_ = from;
    if (to > fetched_ + kAtOnce) to = fetched_ + kAtOnce;
    for (; fetched_ < to; fetched_ += kLine) __builtin_prefetch(bytes_ + fetched_);
  }

  LANES_FN void queue_word() {
    const u64 word_first = next_ & ~u64(63);
    u64 word = active_[next_ / 64] & (~u64(0) << (next_ - word_first));
    if (last_ - word_first < 64) word &= (u64(1) << (last_ - word_first)) - 1;
    for (; word; word &= word - 1) {
      const u64 row = word_first + u64(__builtin_ctzll(word));
      queue_[tail_++ % kQueue] = row;
      if constexpr (kAhead != 0) {
        const u64 from = begin(row), to = end(row);
        fetch_from(from, to - from < 4 * kLine ? to : from + 4 * kLine);
      }
    }
    next_ = last_ - word_first < 64 ? last_ : word_first + 64;
  }

  const u8* bytes_;
  const u32* offsets32_;
  const u64* offsets64_;
  u32 gap_;
  const u64* active_;
  u64 next_;
  u64 last_;
  u64 fetched_ = 0;
  u64 head_ = 0, tail_ = 0;  // of the queue of active rows
  u64 queue_[kQueue];
};

}  // namespace lanewise::lanes
