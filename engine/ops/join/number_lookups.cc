#include "ops/join/number_lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "ops/join/parted_rows.h"
#include "ops/take.h"
#include "primitives/groups/key_words.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kNoEntry = kNoRow;

/// A bit for each number: which ones are keys.
class BitmapLookup : public Lookup {
 public:
  BitmapLookup(const Numbers& numbers, std::optional<KeyRange> range, const LookupChoice& choice,
               MemoryBudget* budget)
      : Lookup(choice), least_(numbers.least), keys_(numbers.keys) {
    range_ = std::move(range);
    const size_t words = bits::words(keys_);
    // Each thread has a bitmap of its own, since a shared one would move from core to core.
    const size_t shares = std::clamp<size_t>(
        std::min(numbers.rows * kShareBytes / (words * sizeof(uint64_t)), numbers.rows / kShareRows), 1,
        parallelism());
    std::vector<Buffer> bitmaps(shares);
    parallel_for(shares, [&](size_t share) {
      bitmaps[share] = Buffer::allocate(words * sizeof(uint64_t), budget, kJoin, Access::kRandom);
      auto* const bitmap = bitmaps[share].mutable_as<uint64_t>();
      std::fill_n(bitmap, words, 0);
      const size_t end = numbers.rows * (share + 1) / shares;
      for (size_t row = numbers.rows * share / shares; row < end; ++row)
        if (numbers.is_found(row)) bits::set(bitmap, numbers.words[row] - least_);
    });
    bitmap_ = std::move(bitmaps[0]);
    auto* const all = bitmap_.mutable_as<uint64_t>();
    parallel_for((words + kMergedWords - 1) / kMergedWords, [&](size_t slice) {
      const size_t end = std::min(words, (slice + 1) * kMergedWords);
      for (size_t share = 1; share < shares; ++share) {
        const auto* const other = bitmaps[share].as<uint64_t>();
        for (size_t word = slice * kMergedWords; word < end; ++word) all[word] |= other[word];
      }
    });
  }

  void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const override {
    const KeyWords words = key_words(keys[0], rows);
    const auto* const bitmap = bitmap_.as<uint64_t>();
    rows.for_each([&](uint32_t row) {
      const uint64_t key = words.words[row] - least_;
      runs.first[row] = 0;
      runs.count[row] = key < keys_ && bits::test(bitmap, key);
    });
  }
  std::string name() const override { return fmt::format("bitmap of {} numbers", keys_); }
  size_t bytes() const override { return bitmap_.size(); }
  bool is_array() const override { return true; }

 private:
  static constexpr size_t kShareRows = size_t{1} << 16, kShareBytes = 16, kMergedWords = 8192;

  uint64_t least_, keys_;
  Buffer bitmap_;
};

/// Numbers as indexes of an array.
class DirectLookup : public Lookup {
 public:
  DirectLookup(const Numbers& numbers, std::optional<KeyRange> range, bool existence,
               const LookupChoice& choice, MemoryBudget* budget)
      : Lookup(choice), least_(numbers.least), keys_(numbers.keys) {
    range_ = std::move(range);
    entries_ = Buffer::allocate((keys_ + 1) * sizeof(uint32_t), budget, kJoin, Access::kRandom);
    // Threads have parts of the numbers, each with about as many rows as fit a cache.
    const int part_bits = std::min(static_cast<int>(std::bit_width(numbers.rows / kPartRows)), kMostPartBits);
    const int shift = std::max(static_cast<int>(std::bit_width(keys_)) - part_bits, 0);
    const size_t parts = (keys_ >> shift) + 1;
    const PartedRows parted = divide(
        numbers.words, numbers.rows, numbers.valid, parts,
        [this, shift](uint64_t word) { return static_cast<size_t>((word - least_) >> shift); }, budget);
    const auto* const words = parted.words.as<uint64_t>();
    const auto* const rows = parted.rows.as<uint32_t>();
    auto* const entries = entries_.mutable_as<uint32_t>();
    const auto for_parts = [&](auto fill) {
      parallel_for(parts, [&](size_t part) {
        const uint64_t first = part << shift, end = std::min(first + (uint64_t{1} << shift), keys_);
        fill(first, end, parted.starts[part], parted.starts[part + 1]);
      });
    };
    std::atomic<bool> repeated{false};
    for_parts([&](uint64_t first, uint64_t end, size_t from, size_t to) {
      std::fill(entries + first, entries + end, kNoEntry);
      bool again = false;
      for (size_t i = from; i < to; ++i) {
        uint32_t& entry = entries[words[i] - least_];
        again |= entry != kNoEntry;
        entry = rows[i];
      }
      if (again) repeated = true;
    });
    entries[keys_] = kNoEntry;
    if (!repeated || existence) return;
    // Entry k becomes the place of the first row of key k; those of k + 1 follow.
    const size_t total = parted.starts.back();
    order_ = Buffer::allocate(total * sizeof(uint32_t), budget, kJoin);
    auto* const order = order_.mutable_as<uint32_t>();
    for_parts([&](uint64_t first, uint64_t end, size_t from, size_t to) {
      std::fill(entries + first, entries + end, 0);
      for (size_t i = from; i < to; ++i) ++entries[words[i] - least_];
      auto place = static_cast<uint32_t>(from);
      for (uint64_t key = first; key < end; ++key) entries[key] = place += entries[key];
      for (size_t i = to; i-- > from;)  // backwards: an entry finally points to the start of its run
        order[--entries[words[i] - least_]] = rows[i];
    });
    entries[keys_] = static_cast<uint32_t>(total);
  }

  void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const override {
    const KeyWords words = key_words(keys[0], rows);
    const auto* entries = entries_.as<uint32_t>();
    const auto each = [&](auto f) {
      rows.for_each([&](uint32_t row) {
        const uint64_t key = words.words[row] - least_;
        f(row, key < keys_ ? key : keys_);
      });
    };
    if (unique()) {
      each([&](uint32_t row, uint64_t key) {
        runs.first[row] = entries[key];
        runs.count[row] = entries[key] != kNoEntry;
      });
      return;
    }
    each([&](uint32_t row, uint64_t key) {
      runs.first[row] = entries[key];
      runs.count[row] = key < keys_ ? entries[key + 1] - entries[key] : 0;
    });
  }
  void find_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* matches) const override {
    const KeyWords words = key_words(keys[0], rows);
    const auto* const entries = entries_.as<uint32_t>();
    rows.for_each([&](uint32_t row) {
      const uint64_t key = words.words[row] - least_;
      matches[row] = entries[key < keys_ ? key : keys_];
    });
  }
  std::string name() const override { return fmt::format("array by {} numbers", keys_); }
  size_t bytes() const override { return entries_.size(); }
  bool is_array() const override { return true; }

 private:
  static constexpr size_t kPartRows = size_t{1} << 15;
  static constexpr int kMostPartBits = 10;

  uint64_t least_, keys_;
  Buffer entries_;  ///< uint32_t row, or start of the run, by key; the last entry is for keys out of range
};

}  // namespace

std::unique_ptr<Lookup> lookup_by_number(const Numbers& numbers, std::optional<KeyRange> range,
                                         bool existence, const LookupChoice& choice, MemoryBudget* budget) {
  if (choice.form == LookupForm::bitmap)
    return std::make_unique<BitmapLookup>(numbers, std::move(range), choice, budget);
  return std::make_unique<DirectLookup>(numbers, std::move(range), existence, choice, budget);
}

}  // namespace lanewise::ops
