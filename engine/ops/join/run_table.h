#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ops/join/parted_rows.h"
#include "primitives/groups/hash.h"

namespace lanewise::ops {

/// State while a table is filled.
struct RunFilling {
  Buffer slots;   // slot of each row, by index in PartedRows
  Buffer counts;  // by row: number of rows with its key, stored at the first of them
  std::vector<std::vector<uint32_t>> used;  // by part: slots, in the order of first use
  std::atomic<bool> fits{true}, repeated{false};
};

/// Words that are equal only if their keys are.
struct ExactWords {
  constexpr bool operator()(size_t, uint32_t) const { return true; }
};

/// A hash table from words (keys, or hashes of keys) to runs of rows. Its buckets are cache lines, compared
/// as a whole; a full one continues in the next one of its part. Parts are filled in parallel. The highest
/// bits of a word's hash select its part, the next ones its bucket there.
template <class Word>
class RunTable {
 public:
  /// `words[row]` of `rows` rows; `valid` (null: all) marks those that can be found. `equal(a, b)` says
  /// whether rows with equal words have equal keys. Returns the rows ordered by run; an empty
  /// buffer: all keys are distinct, or only `existence` is wanted, and places are row numbers.
  template <class Equal>
  Buffer fill(const Word* words, size_t rows, const uint64_t* valid, bool existence, MemoryBudget* budget,
              Equal equal);

  /// starts[i] = the start of the run of words[i], or kNone, for i < count. `equal(i, place)` as above, with
  /// the row at a place. `scratch` has room for 2 * count numbers.
  template <class Equal>
  void find(const Word* words, size_t count, uint32_t* starts, Equal equal, uint32_t* scratch) const;
  /// The length of the run that starts there.
  uint32_t count(uint32_t start) const {
    return start == kNone ? 0 : counts_ ? counts_.as<uint32_t>()[start] : 1;
  }

  /// Puts value_of(row), which is never kNone, in place of each row. From then on find() gives values. Only
  /// for keys that do not repeat.
  template <class F>
  void replace_rows(F value_of);

  size_t slots() const { return (size_t{1} << bucket_bits_) * kSlots; }
  size_t bytes() const { return buffer_.size() + filter_.size() + counts_.size(); }

  static constexpr uint32_t kNone = ~uint32_t{0};

 private:
  static constexpr size_t kLine = 64;
  static constexpr uint32_t kSlots = kLine / (sizeof(Word) + sizeof(uint32_t));
  static constexpr int kNumberBits = 3;  // of a slot in its bucket
  static constexpr int kMostBucketBits = 32 - kNumberBits;
  static constexpr size_t kAhead = 32;   // buckets to prefetch ahead, for about the latency of memory
  static constexpr size_t kFound = 512;  // words per batch, whose buckets stay in a core's cache
  static constexpr size_t kTested = 64;  // words whose bits of the filter are prefetched together
  static constexpr size_t kPartRows = size_t{1} << 15;          // a part's buckets fit a core's cache
  static constexpr int kUsedBits = std::bit_width(kSlots) - 2;  // about half of a bucket's slots
  static constexpr int kFilterBits = kUsedBits + 4, kMostFilterBits = 27;
  static constexpr size_t kSample = 64;

  /// Slots are used from the first one on.
  struct alignas(kLine) Bucket {
    Word words[kSlots];
    uint32_t starts[kSlots];  ///< the start of the word's run, plus 1; 0: the slot is free

    bool full() const { return starts[kSlots - 1] != 0; }
    /// One more than the start of the word's run, or 0.
    uint32_t find(Word word) const {
      if constexpr (sizeof(Word) == sizeof(uint32_t)) {
        using Four = uint32_t __attribute__((vector_size(16), may_alias));
        static_assert(kSlots == 8);
        const auto* const four = reinterpret_cast<const Four*>(words);
        const auto* const start = reinterpret_cast<const Four*>(starts);
        const Four wanted = Four{} + word;
        // One word at most is equal, so its lane is all that is left.
        const Four found = (reinterpret_cast<Four>(four[0] == wanted) & start[0]) |
                           (reinterpret_cast<Four>(four[1] == wanted) & start[1]);
        return found[0] | found[1] | found[2] | found[3];
      } else {
        uint32_t found = 0;
        for (uint32_t slot = 0; slot < kSlots; ++slot) found |= words[slot] == word ? starts[slot] : 0;
        return found;
      }
    }
  };
  static_assert(sizeof(Bucket) == kLine);

  size_t home(Word word) const { return hash::of_word(word) >> shift_; }
  size_t filter_bit(Word word) const { return hash::of_word(word) >> filter_shift_; }
  size_t part(Word word) const { return home(word) >> (bucket_bits_ - part_bits_); }
  size_t next(size_t at) const { return (at & ~part_mask_) | ((at + 1) & part_mask_); }
  uint32_t& start_at(uint32_t slot) {
    return buckets_[slot >> kNumberBits].starts[slot & ((1 << kNumberBits) - 1)];
  }

  /// The start of the word's run plus 1, or 0, if the bucket has it.
  template <class Equal>
  static uint32_t find_in(const Bucket& bucket, Word word, size_t i, const Equal& equal) {
    if constexpr (std::is_same_v<Equal, ExactWords>) {
      return bucket.find(word);
    } else {
      for (uint32_t slot = 0; slot < kSlots && bucket.starts[slot] != 0; ++slot)
        if (bucket.words[slot] == word && equal(i, bucket.starts[slot] - 1)) return bucket.starts[slot];
      return 0;
    }
  }

  void shape(int part_bits, int bucket_bits) {
    part_bits_ = part_bits;
    bucket_bits_ = bucket_bits;
    shift_ = 64 - bucket_bits;
    part_mask_ = (size_t{1} << (bucket_bits - part_bits)) - 1;
    filter_shift_ = 64 - std::min(bucket_bits + kFilterBits, kMostFilterBits);
  }
  size_t choose(const Word* words, size_t count, uint32_t* chosen) const;
  template <class Equal>
  void fill_part(const PartedRows& parted, size_t part, RunFilling& filling, Equal equal);
  void order_part(const PartedRows& parted, size_t part, const RunFilling& filling, uint32_t* order);

  Buffer buffer_;
  Bucket* buckets_ = nullptr;
  Buffer filter_;  ///< a bit for each value of a hash's highest bits: whether some word has it
  Buffer counts_;  ///< uint32_t by start of run; empty: all are 1
  int part_bits_ = 0, bucket_bits_ = 1, shift_ = 63, filter_shift_ = 63;
  size_t part_mask_ = 1;
};

template <class Word>
template <class Equal>
void RunTable<Word>::fill_part(const PartedRows& parted, size_t part, RunFilling& filling, Equal equal) {
  const size_t buckets = part_mask_ + 1;
  std::fill_n(buckets_ + part * buckets, buckets, Bucket{});
  auto* filter = filter_.mutable_as<uint64_t>();
  const size_t filter_words = bits::words(size_t{1} << (64 - filter_shift_ - part_bits_));
  std::fill_n(filter + part * filter_words, filter_words, 0);
  const auto* words = parted.words.as<Word>();
  const auto* rows = parted.rows.as<uint32_t>();
  auto* slot_of = filling.slots.mutable_as<uint32_t>();
  auto* counts = filling.counts.mutable_as<uint32_t>();
  std::vector<uint32_t>& used = filling.used[part];
  const auto find_slot = [&](size_t i) {
    for (size_t at = home(words[i]);; at = next(at)) {
      Bucket& bucket = buckets_[at];
      for (uint32_t slot = 0; slot < kSlots; ++slot) {
        const uint32_t start = bucket.starts[slot];
        if (start == 0 || (bucket.words[slot] == words[i] && equal(rows[i], start - 1)))
          return std::pair(&bucket, static_cast<uint32_t>(at << kNumberBits | slot));
      }
    }
  };
  bool repeated = false;
  for (size_t i = parted.starts[part]; i < parted.starts[part + 1]; ++i) {
    const auto [bucket, slot] = find_slot(i);
    slot_of[i] = slot;
    uint32_t& start = start_at(slot);
    if (start != 0) {
      repeated = true;
      ++counts[start - 1];
      continue;
    }
    bucket->words[slot & ((1 << kNumberBits) - 1)] = words[i];
    start = rows[i] + 1;
    bits::set(filter, filter_bit(words[i]));
    counts[rows[i]] = 1;
    used.push_back(slot);
    if (used.size() > buckets * kSlots / 8 * 7) {
      filling.fits = false;
      return;
    }
  }
  if (repeated) filling.repeated = true;
}

template <class Word>
void RunTable<Word>::order_part(const PartedRows& parted, size_t part, const RunFilling& filling,
                                uint32_t* order) {
  auto place = static_cast<uint32_t>(parted.starts[part]);
  const auto* counts = filling.counts.as<uint32_t>();
  auto* counts_by_place = counts_.mutable_as<uint32_t>();
  for (const uint32_t slot : filling.used[part]) {
    uint32_t& start = start_at(slot);
    const uint32_t count = counts[start - 1];
    counts_by_place[place] = count;
    place += count;
    start = place + 1;
  }
  const auto* rows = parted.rows.as<uint32_t>();
  const auto* slot_of = filling.slots.as<uint32_t>();
  for (size_t i = parted.starts[part + 1]; i-- > parted.starts[part];)  // a run ends where `start` is now
    order[--start_at(slot_of[i]) - 1] = rows[i];
}

template <class Word>
template <class Equal>
Buffer RunTable<Word>::fill(const Word* words, size_t rows, const uint64_t* valid, bool existence,
                            MemoryBudget* budget, Equal equal) {
  const int bucket_bits =
      std::clamp(static_cast<int>(std::bit_width(rows - rows / 4)) - kUsedBits, 2, kMostBucketBits);
  if (const size_t most = (size_t{kSlots} << bucket_bits) / 8 * 7; rows > most)
    throw UserError(
        fmt::format("a join's build side has {} rows; its hash table holds {} at most", rows, most));
  const int most_part_bits = std::min(10, bucket_bits - 1);
  int part_bits = std::clamp(static_cast<int>(std::bit_width(rows / kPartRows)), 0, most_part_bits);
  buffer_ = Buffer::allocate((size_t{1} << bucket_bits) * sizeof(Bucket), budget, kJoin, Access::kRandom);
  buckets_ = buffer_.mutable_as<Bucket>();
  for (;; part_bits = 0) {
    shape(part_bits, bucket_bits);
    filter_ = Buffer::allocate(bits::words(size_t{1} << (64 - filter_shift_)) * sizeof(uint64_t), budget,
                               kJoin, Access::kRandom);
    const size_t parts = size_t{1} << part_bits;
    const PartedRows parted =
        divide(words, rows, valid, parts, [this](Word word) { return part(word); }, budget);
    const size_t total = parted.starts.back();
    RunFilling filling;
    filling.slots = Buffer::allocate(total * sizeof(uint32_t), budget, kJoin);
    filling.counts = Buffer::allocate(rows * sizeof(uint32_t), budget, kJoin);
    filling.used.resize(parts);
    parallel_for(parts, [&](size_t p) { fill_part(parted, p, filling, equal); });
    if (!filling.fits) continue;  // too many hashes share their highest bits; one part has room for all
    if (existence || !filling.repeated) return {};
    Buffer order = Buffer::allocate(total * sizeof(uint32_t), budget, kJoin);
    counts_ = Buffer::allocate(total * sizeof(uint32_t), budget, kJoin);
    parallel_for(parts, [&](size_t p) { order_part(parted, p, filling, order.mutable_as<uint32_t>()); });
    return order;
  }
}

template <class Word>
template <class F>
void RunTable<Word>::replace_rows(F value_of) {
  parallel_for(size_t{1} << part_bits_, [&](size_t part) {
    Bucket* const buckets = buckets_ + part * (part_mask_ + 1);
    for (size_t at = 0; at <= part_mask_; ++at) {
      for (uint32_t& start : buckets[at].starts)
        if (start != 0) start = value_of(start - 1) + 1;
    }
  });
}

/// The indexes of the words that may be in the table: of all words, if most of a sample may be.
template <class Word>
size_t RunTable<Word>::choose(const Word* words, size_t count, uint32_t* chosen) const {
  const auto* filter = filter_.as<uint64_t>();
  size_t likely = 0;
  for (size_t i = 0; i < std::min(count, kSample); ++i) likely += bits::test(filter, filter_bit(words[i]));
  if (likely > kSample / 2) return count;
  size_t left = 0;
  size_t bit[kTested];
  for (size_t begin = 0; begin < count; begin += kTested) {
    const size_t tested = std::min(kTested, count - begin);
    for (size_t i = 0; i < tested; ++i) {
      bit[i] = filter_bit(words[begin + i]);
      __builtin_prefetch(filter + bit[i] / 64);
    }
    for (size_t i = 0; i < tested; ++i) {
      chosen[left] = static_cast<uint32_t>(begin + i);
      left += bits::test(filter, bit[i]);
    }
  }
  return left;
}

template <class Word>
template <class Equal>
void RunTable<Word>::find(const Word* words, size_t count, uint32_t* starts, Equal equal,
                          uint32_t* scratch) const {
  uint32_t* const chosen = scratch + count;
  const size_t wanted = choose(words, count, chosen);
  const auto find_all = [&](auto index_of) {
    for (size_t k = 0; k < wanted; ++k) scratch[k] = static_cast<uint32_t>(home(words[index_of(k)]));
    for (size_t k = 0; k < std::min(wanted, kAhead); ++k) __builtin_prefetch(buckets_ + scratch[k]);
    uint32_t undecided[kFound];  // words that their bucket does not have, which is full
    for (size_t begin = 0; begin < wanted; begin += kFound) {
      const size_t end = std::min(wanted, begin + kFound);
      size_t left = 0;
      for (size_t k = begin; k < end; ++k) {
        if (k + kAhead < wanted) __builtin_prefetch(buckets_ + scratch[k + kAhead]);
        const Bucket& bucket = buckets_[scratch[k]];
        const size_t i = index_of(k);
        const uint32_t found = find_in(bucket, words[i], i, equal);
        starts[i] = found - 1;
        undecided[left] = static_cast<uint32_t>(k);
        left += (found == 0) & bucket.full();
      }
      for (size_t u = 0; u < left; ++u) {
        const size_t k = undecided[u], i = index_of(k);
        size_t at = scratch[k];
        uint32_t found = 0;
        do {
          at = next(at);
          found = find_in(buckets_[at], words[i], i, equal);
        } while (found == 0 && buckets_[at].full());
        starts[i] = found - 1;
      }
    }
  };
  if (wanted == count) return find_all([](size_t k) { return k; });
  std::fill_n(starts, count, kNone);
  find_all([&](size_t k) { return chosen[k]; });
}

}  // namespace lanewise::ops
