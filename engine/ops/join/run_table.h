#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

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

/// A hash table from words (keys, or hashes of keys) to runs of rows: linear probing within parts, which are
/// filled in parallel. The highest bits of a word's hash select its part, the next ones its home slot there.
/// A slot holds a word and the start of its run: 8 bytes with words of 32 bits.
template <class Word>
class RunTable {
 public:
  /// `words[row]` of `rows` rows; `valid` (null: all) marks those that can be found. `equal(a, b)` says
  /// whether rows with equal words have equal keys. Returns the rows ordered by run; an empty
  /// buffer: all keys are distinct, or only `existence` is wanted, and places are row numbers.
  template <class Equal>
  Buffer fill(const Word* words, size_t rows, const uint64_t* valid, bool existence, MemoryBudget* budget,
              Equal equal);

  /// The runs of words[i] for row rows[i], or i if `rows` is null; i < count. `equal(i, place)` as above,
  /// with the row at a place. `scratch` has room for twice as many numbers.
  template <class Equal>
  void find(const Word* words, const uint32_t* rows, size_t count, Runs runs, Equal equal,
            uint32_t* scratch) const;

  size_t slots() const { return size_t{1} << slot_bits_; }
  size_t bytes() const { return buffer_.size() + filter_.size() + counts_.size(); }

 private:
  static constexpr size_t kAhead = 24;   // keys to prefetch ahead, for about the latency of memory
  static constexpr size_t kFound = 512;  // keys per batch, whose slots stay in a core's cache
  static constexpr size_t kPartRows = size_t{1} << 15;  // a part's slots fit a core's cache
  static constexpr uint32_t kFree = ~uint32_t{0};
  static constexpr int kFilterBits = 3, kMostFilterBits = 27;
  static constexpr size_t kSample = 64;

  struct Slot {
    Word word;
    uint32_t first;  // kFree: empty
  };

  size_t home(Word word) const { return hash::of_word(word) >> shift_; }
  size_t filter_bit(Word word) const { return hash::of_word(word) >> filter_shift_; }
  size_t choose(const Word* words, size_t count, uint32_t* chosen) const;
  size_t part(Word word) const { return home(word) >> (slot_bits_ - part_bits_); }
  size_t next(size_t at) const { return (at & ~part_mask_) | ((at + 1) & part_mask_); }

  void shape(int part_bits, int slot_bits) {
    part_bits_ = part_bits;
    slot_bits_ = slot_bits;
    shift_ = 64 - slot_bits;
    part_mask_ = (size_t{1} << (slot_bits - part_bits)) - 1;
    filter_shift_ = 64 - std::min(slot_bits + kFilterBits, kMostFilterBits);
  }
  template <class Equal>
  void fill_part(const PartedRows& parted, size_t part, RunFilling& filling, Equal equal);
  void order_part(const PartedRows& parted, size_t part, const RunFilling& filling, uint32_t* order);

  Buffer buffer_;
  Slot* slots_ = nullptr;
  Buffer filter_;  ///< a bit for each value of a hash's highest bits: whether some word has it
  Buffer counts_;  ///< uint32_t by start of run; empty: all are 1
  int part_bits_ = 0, slot_bits_ = 1, shift_ = 63, filter_shift_ = 63;
  size_t part_mask_ = 1;
};

template <class Word>
template <class Equal>
void RunTable<Word>::fill_part(const PartedRows& parted, size_t part, RunFilling& filling, Equal equal) {
  const size_t slots = part_mask_ + 1;
  std::fill_n(slots_ + part * slots, slots, Slot{Word{}, kFree});
  auto* filter = filter_.mutable_as<uint64_t>();
  const size_t filter_words = bits::words(size_t{1} << (64 - filter_shift_ - part_bits_));
  std::fill_n(filter + part * filter_words, filter_words, 0);
  const auto* words = parted.words.as<Word>();
  const auto* rows = parted.rows.as<uint32_t>();
  auto* slot_of = filling.slots.mutable_as<uint32_t>();
  auto* counts = filling.counts.mutable_as<uint32_t>();
  std::vector<uint32_t>& used = filling.used[part];
  bool repeated = false;
  for (size_t i = parted.starts[part]; i < parted.starts[part + 1]; ++i) {
    size_t at = home(words[i]);
    while (slots_[at].first != kFree && !(slots_[at].word == words[i] && equal(rows[i], slots_[at].first)))
      at = next(at);
    slot_of[i] = static_cast<uint32_t>(at);
    Slot& slot = slots_[at];
    if (slot.first != kFree) {
      repeated = true;
      ++counts[slot.first];
      continue;
    }
    slot = Slot{words[i], rows[i]};
    bits::set(filter, filter_bit(words[i]));
    counts[rows[i]] = 1;
    used.push_back(static_cast<uint32_t>(at));
    if (used.size() > slots / 8 * 7) {
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
  for (const uint32_t at : filling.used[part]) {
    const uint32_t count = counts[slots_[at].first];
    counts_by_place[place] = count;
    slots_[at].first = place += count;
  }
  const auto* rows = parted.rows.as<uint32_t>();
  const auto* slot_of = filling.slots.as<uint32_t>();
  for (size_t i = parted.starts[part + 1]; i-- > parted.starts[part];)  // a run ends where `first` is now
    order[--slots_[slot_of[i]].first] = rows[i];
}

template <class Word>
template <class Equal>
Buffer RunTable<Word>::fill(const Word* words, size_t rows, const uint64_t* valid, bool existence,
                            MemoryBudget* budget, Equal equal) {
  const int slot_bits = std::clamp(static_cast<int>(std::bit_width(rows + rows / 2)), 4, 32);
  const int most_part_bits = std::min(10, slot_bits - 4);
  int part_bits = std::clamp(static_cast<int>(std::bit_width(rows / kPartRows)), 0, most_part_bits);
  buffer_ = Buffer::allocate((size_t{1} << slot_bits) * sizeof(Slot), budget, kJoin, Access::kRandom);
  slots_ = buffer_.mutable_as<Slot>();
  for (;; part_bits = 0) {
    shape(part_bits, slot_bits);
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

/// The indexes of the words that may be in the table: of all words, if most of a sample may be.
template <class Word>
size_t RunTable<Word>::choose(const Word* words, size_t count, uint32_t* chosen) const {
  const auto* filter = filter_.as<uint64_t>();
  size_t likely = 0;
  for (size_t i = 0; i < std::min(count, kSample); ++i) likely += bits::test(filter, filter_bit(words[i]));
  if (likely > kSample / 2) {
    for (size_t i = 0; i < count; ++i) chosen[i] = static_cast<uint32_t>(i);
    return count;
  }
  size_t left = 0;
  for (size_t i = 0; i < count; ++i) {
    chosen[left] = static_cast<uint32_t>(i);
    left += bits::test(filter, filter_bit(words[i]));
  }
  return left;
}

template <class Word>
template <class Equal>
void RunTable<Word>::find(const Word* words, const uint32_t* rows, size_t count, Runs runs, Equal equal,
                          uint32_t* scratch) const {
  const auto* counts = counts_ ? counts_.as<uint32_t>() : nullptr;
  const auto set = [&](size_t i, uint32_t first) {
    const size_t row = rows == nullptr ? i : rows[i];
    runs.first[row] = first;
    runs.count[row] = first == kFree ? 0 : counts == nullptr ? 1 : counts[first];
  };
  uint32_t* const chosen = scratch + count;
  const size_t wanted = choose(words, count, chosen);
  if (wanted != count) {
    for (size_t i = 0; i < count; ++i) set(i, kFree);
  }
  for (size_t k = 0; k < wanted; ++k) scratch[k] = static_cast<uint32_t>(home(words[chosen[k]]));
  for (size_t k = 0; k < std::min(wanted, kAhead); ++k) __builtin_prefetch(slots_ + scratch[k]);
  uint32_t undecided[kFound];  // keys not decided by their home slot
  for (size_t begin = 0; begin < wanted; begin += kFound) {
    const size_t end = std::min(wanted, begin + kFound);
    size_t left = 0;
    for (size_t k = begin; k < end; ++k) {
      if (k + kAhead < wanted) __builtin_prefetch(slots_ + scratch[k + kAhead]);
      const size_t i = chosen[k];
      const Slot slot = slots_[scratch[k]];
      const bool is_free = slot.first == kFree;
      const bool is_it = (slot.word == words[i]) & !is_free && equal(i, slot.first);
      set(i, is_it ? slot.first : kFree);
      undecided[left] = static_cast<uint32_t>(k);
      left += !(is_free | is_it);
    }
    for (size_t u = 0; u < left; ++u) {
      const size_t i = chosen[undecided[u]];
      size_t at = next(scratch[undecided[u]]);
      while (slots_[at].first != kFree && !(slots_[at].word == words[i] && equal(i, slots_[at].first)))
        at = next(at);
      set(i, slots_[at].first);
    }
  }
}

}  // namespace lanewise::ops
