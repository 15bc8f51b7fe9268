#include "ops/join/lookup.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "data/physical_value.h"
#include "ops/join/run_table.h"
#include "primitives/groups/key_rows.h"
#include "primitives/groups/key_words.h"
#include "primitives/groups/packed_keys.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kSliceRows = 8192;  // a multiple of 64: slices do not share validity words
constexpr uint32_t kNone = ~uint32_t{0};

std::vector<Type> types_of(const std::vector<ColumnPtr>& columns) {
  std::vector<Type> types;
  for (const ColumnPtr& column : columns) types.push_back(column->type);
  return types;
}

std::vector<KeyWords> words_of(std::span<const Vector> keys, const ActiveSet& rows) {
  std::vector<KeyWords> words;
  for (const Vector& key : keys) words.push_back(key_words(key, rows));
  return words;
}

/// Calls f(first row, keys, rows, arena) for all rows, slice by slice, on all threads.
template <class F>
void for_slices(const std::vector<ColumnPtr>& keys, size_t rows, MemoryBudget* budget, F f) {
  parallel_for((rows + kSliceRows - 1) / kSliceRows, [&](size_t slice_number) {
    const size_t first = slice_number * kSliceRows;
    const auto count = static_cast<uint32_t>(std::min<size_t>(kSliceRows, rows - first));
    Arena arena(budget, kJoin);
    std::vector<Vector> vectors;
    for (const ColumnPtr& key : keys)
      vectors.push_back(slice(*key, static_cast<int64_t>(first), count, arena));
    const ActiveSet all(count, arena);
    const std::vector<KeyWords> words = words_of(vectors, all);
    f(first, std::span<const KeyWords>(words), all, arena);
  });
}

/// A bitmap of the rows whose keys have no NULL, unless NULLs are equal; empty: all rows.
Buffer findable(const std::vector<ColumnPtr>& keys, const std::vector<bool>& finds_nulls, size_t rows,
                MemoryBudget* budget) {
  Buffer valid;
  for (size_t k = 0; k < keys.size(); ++k) {
    if (keys[k]->nulls == 0 || finds_nulls[k]) continue;
    const auto* from = keys[k]->validity.as<uint64_t>();
    const size_t words = bits::words(rows);
    if (!valid) {
      valid = Buffer::allocate(words * sizeof(uint64_t), budget, kJoin);
      std::copy_n(from, words, valid.mutable_as<uint64_t>());
    } else {
      auto* to = valid.mutable_as<uint64_t>();
      for (size_t i = 0; i < words; ++i) to[i] &= from[i];
    }
  }
  return valid;
}

/// Keys that fit into one word together: one column, or several packed ones.
class Words {
 public:
  explicit Words(const std::vector<Type>& types) {
    if (types.size() > 1) packed_.emplace(types);
  }
  static bool fit(const std::vector<Type>& types) {
    return types.size() == 1 ? key_width(types[0]) == 1 : PackedKeys::words(types) == 1;
  }

  const uint64_t* of(std::span<const KeyWords> keys, uint32_t rows, Arena& arena) const {
    if (!packed_) return keys[0].words;
    auto* words = arena.allocate<uint64_t>(rows);
    packed_->pack(keys, rows, 0, words);
    return words;
  }

 private:
  std::optional<PackedKeys> packed_;
};

/// Integers of a narrow range.
struct Numbers {
  const uint64_t* words;
  size_t rows;
  const uint64_t* valid;  // null: all rows
  uint64_t least, keys;   // words are from `least` on, less than `least + keys`

  bool is_found(size_t row) const { return valid == nullptr || bits::test(valid, row); }
  /// Whether an array by number is no larger than a hash table would be.
  static bool fit(uint64_t range, size_t rows) { return range <= 8 * rows + 1024; }
};

/// A bit for each number: which ones are keys.
class BitmapLookup : public Lookup {
 public:
  BitmapLookup(const Numbers& numbers, std::optional<KeyRange> range, MemoryBudget* budget)
      : least_(numbers.least), keys_(numbers.keys) {
    range_ = std::move(range);
    const size_t words = bits::words(keys_);
    // Each thread has a bitmap of its own, since a shared one would move from core to core.
    const size_t shares = std::clamp<size_t>(std::min(numbers.rows * kShareBytes / (words * sizeof(uint64_t)),
                                                      numbers.rows / kShareRows),
                                             1, parallelism());
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
    parallel_for((words + kSliceRows - 1) / kSliceRows, [&](size_t slice) {
      const size_t end = std::min(words, (slice + 1) * kSliceRows);
      for (size_t share = 1; share < shares; ++share) {
        const auto* const other = bitmaps[share].as<uint64_t>();
        for (size_t word = slice * kSliceRows; word < end; ++word) all[word] |= other[word];
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
  const char* name() const override { return "bitmap"; }
  bool is_array() const override { return true; }

 private:
  static constexpr size_t kShareRows = size_t{1} << 16, kShareBytes = 8;

  uint64_t least_, keys_;
  Buffer bitmap_;
};

/// Numbers as indexes of an array.
class DirectLookup : public Lookup {
 public:
  DirectLookup(const Numbers& numbers, std::optional<KeyRange> range, MemoryBudget* budget)
      : least_(numbers.least), keys_(numbers.keys) {
    range_ = std::move(range);
    entries_ = Buffer::allocate((keys_ + 1) * sizeof(uint32_t), budget, kJoin, Access::kRandom);
    // Threads have parts of the numbers, which fit their caches.
    const int shift =
        std::max(kPartBits, static_cast<int>(std::bit_width(keys_)) - static_cast<int>(kMostPartBits));
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
      std::fill(entries + first, entries + end, kNone);
      bool again = false;
      for (size_t i = from; i < to; ++i) {
        uint32_t& entry = entries[words[i] - least_];
        again |= entry != kNone;
        entry = rows[i];
      }
      if (again) repeated = true;
    });
    entries[keys_] = kNone;
    if (!repeated) return;
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
        runs.count[row] = entries[key] != kNone;
      });
      return;
    }
    each([&](uint32_t row, uint64_t key) {
      runs.first[row] = entries[key];
      runs.count[row] = key < keys_ ? entries[key + 1] - entries[key] : 0;
    });
  }
  const char* name() const override { return "direct"; }
  bool is_array() const override { return true; }

 private:
  static constexpr int kPartBits = 16, kMostPartBits = 10;

  uint64_t least_, keys_;
  Buffer entries_;  ///< uint32_t row, or start of the run, by key; the last entry is for keys out of range
};

/// Any keys that fit into a word. As uint32_t, keys are stored as differences from the minimum, if they are
/// small enough.
template <class Word>
class WordLookup : public Lookup {
 public:
  WordLookup(const std::vector<Type>& types, const uint64_t* words, size_t rows, const uint64_t* valid,
             int64_t least, std::optional<KeyRange> range, bool existence, MemoryBudget* budget)
      : form_(types), least_(kNarrow ? static_cast<uint64_t>(least) : 0) {
    range_ = std::move(range);
    const auto always = [](uint32_t, uint32_t) { return true; };
    if constexpr (kNarrow) {
      Buffer narrow = Buffer::allocate(rows * sizeof(Word), budget, kJoin);
      auto* to = narrow.mutable_as<Word>();
      parallel_for((rows + kSliceRows - 1) / kSliceRows, [&](size_t i) {
        for (size_t row = i * kSliceRows; row < std::min(rows, (i + 1) * kSliceRows); ++row)
          to[row] = static_cast<Word>(words[row] - least_);
      });
      order_ = table_.fill(to, rows, valid, existence, budget, always);
    } else {
      order_ = table_.fill(words, rows, valid, existence, budget, always);
    }
  }

  void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const override {
    Arena& arena = rows.arena();
    const std::vector<KeyWords> key_words = words_of(keys, rows);
    const uint64_t* words = form_.of(key_words, rows.rows(), arena);
    const uint32_t* list = rows.all() ? nullptr : rows.list().data();
    const size_t count = rows.count();
    const auto word = [&](size_t i) { return words[list == nullptr ? i : list[i]] - least_; };
    auto* wanted = arena.allocate<Word>(count);
    for (size_t i = 0; i < count; ++i) wanted[i] = static_cast<Word>(word(i));
    table_.find(
        wanted, list, count, runs, [&](size_t i, uint32_t) { return !kNarrow || word(i) >> 32 == 0; },
        arena.allocate<uint32_t>(2 * count));
  }
  const char* name() const override { return kNarrow ? "hash of 32 bits" : "hash of words"; }

 private:
  static constexpr bool kNarrow = sizeof(Word) == sizeof(uint32_t);

  Words form_;
  uint64_t least_;
  RunTable<Word> table_;
};

/// Keys of any type, as bytes.
class ByteLookup : public Lookup {
 public:
  ByteLookup(std::vector<ColumnPtr> keys, bool null_is_key, size_t rows, const uint64_t* valid,
             bool existence, MemoryBudget* budget)
      : keys_(std::move(keys)),
        is_text_(keys_.size() == 1 && keys_[0]->type.is_string() && !null_is_key),
        layout_(types_of(keys_)) {
    Buffer hashes = Buffer::allocate(rows * sizeof(uint64_t), budget, kJoin);
    bytes_ = Buffer::allocate(rows * sizeof(Bytes), budget, kJoin);
    auto* words = hashes.mutable_as<uint64_t>();
    auto* bytes = bytes_.mutable_as<Bytes>();
    if (!is_text_) {
      for (size_t i = 0; i < (rows + kSliceRows - 1) / kSliceRows; ++i)
        encoded_.push_back(std::make_unique<Arena>(budget, kJoin));
    }
    for_slices(keys_, rows, budget,
               [&](size_t first, std::span<const KeyWords> key_words, const ActiveSet& all, Arena& arena) {
                 Arena& kept = is_text_ ? arena : *encoded_[first / kSliceRows];
                 const KeyRows::Encoded encoded = encode(key_words, nullptr, all.rows(), kept);
                 for (uint32_t i = 0; i < all.rows(); ++i) {
                   bytes[first + i] = {encoded.bytes[i], encoded.sizes[i]};
                   words[first + i] = hash::of_bytes(bytes[first + i].at, bytes[first + i].size);
                 }
               });
    order_ = table_.fill(words, rows, valid, existence, budget, [&](uint32_t a, uint32_t b) {
      return bytes[a].size == bytes[b].size && hash::same_bytes(bytes[a].at, bytes[b].at, bytes[a].size);
    });
  }

  void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const override {
    Arena& arena = rows.arena();
    const std::vector<KeyWords> words = words_of(keys, rows);
    const std::span<const uint32_t> list = rows.list();
    const KeyRows::Encoded encoded = encode(words, list.data(), list.size(), arena);
    auto* hashes = arena.allocate<uint64_t>(list.size());
    for (size_t i = 0; i < list.size(); ++i) hashes[i] = hash::of_bytes(encoded.bytes[i], encoded.sizes[i]);
    const auto* bytes = bytes_.as<Bytes>();
    const auto equal = [&](size_t i, uint32_t place) {
      const Bytes& kept = bytes[row(place)];
      return kept.size == encoded.sizes[i] && hash::same_bytes(kept.at, encoded.bytes[i], kept.size);
    };
    table_.find(hashes, list.data(), list.size(), runs, equal, arena.allocate<uint32_t>(2 * list.size()));
  }
  const char* name() const override { return "hash of bytes"; }

 private:
  struct Bytes {
    const uint8_t* at;
    uint64_t size;
  };

  /// The bytes of rows rows[0..count), or 0..count if `rows` is null: the text itself, or all keys.
  KeyRows::Encoded encode(std::span<const KeyWords> keys, const uint32_t* rows, size_t count,
                          Arena& arena) const {
    if (!is_text_) return layout_.encode(keys, rows, count, arena);
    const KeyRows::Encoded result{arena.allocate<const uint8_t*>(count), arena.allocate<uint64_t>(count)};
    for (size_t i = 0; i < count; ++i) {
      const uint32_t row = rows != nullptr ? rows[i] : static_cast<uint32_t>(i);
      if (keys[0].text->is_null(row)) {
        result.bytes[i] = nullptr;
        result.sizes[i] = 0;
        continue;
      }
      const std::string_view text = keys[0].text->text(row);
      result.bytes[i] = reinterpret_cast<const uint8_t*>(text.data());
      result.sizes[i] = text.size();
    }
    return result;
  }

  std::vector<ColumnPtr> keys_;  // keys of strings, whose bytes are not copied
  bool is_text_;
  KeyRows layout_;
  std::vector<std::unique_ptr<Arena>> encoded_;  // by slice
  Buffer bytes_;                                 // Bytes by row
  RunTable<uint64_t> table_;
};

/// The keys of all rows as words, and the minimum and maximum of those that can be found.
struct KeyColumn {
  Buffer words;
  int64_t least = std::numeric_limits<int64_t>::max(), greatest = std::numeric_limits<int64_t>::min();
  bool integers = true;
};

KeyColumn words_of(const Words& form, const std::vector<ColumnPtr>& keys, size_t rows, const uint64_t* valid,
                   MemoryBudget* budget) {
  KeyColumn column;
  column.words = Buffer::allocate(rows * sizeof(uint64_t), budget, kJoin);
  auto* words = column.words.mutable_as<uint64_t>();
  std::mutex mutex;
  for_slices(keys, rows, budget,
             [&](size_t first, std::span<const KeyWords> key_words, const ActiveSet& all, Arena& arena) {
               std::copy_n(form.of(key_words, all.rows(), arena), all.rows(), words + first);
               KeyColumn part;
               for (uint32_t i = 0; i < all.rows(); ++i) {
                 if (valid != nullptr && !bits::test(valid, first + i)) continue;
                 const auto word = static_cast<int64_t>(words[first + i]);
                 part.least = std::min(part.least, word);
                 part.greatest = std::max(part.greatest, word);
               }
               std::lock_guard lock(mutex);
               column.least = std::min(column.least, part.least);
               column.greatest = std::max(column.greatest, part.greatest);
               column.integers &= key_words.size() == 1 && key_words[0].integer;
             });
  return column;
}

/// The words as values of the type, if they are its integers.
std::optional<KeyRange> range_of(const KeyColumn& column, Type type) {
  if (!column.integers || column.least > column.greatest) return std::nullopt;
  return visit(type.physical(), [&](auto zero) -> std::optional<KeyRange> {
    using T = decltype(zero);
    // Words are compared as signed numbers, which UBIGINT's are not.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, uint64_t>) {
      return KeyRange{to_value(type, static_cast<T>(column.least)),
                      to_value(type, static_cast<T>(column.greatest))};
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace

std::unique_ptr<Lookup> make_lookup(std::vector<ColumnPtr> keys, const std::vector<bool>& finds_nulls,
                                    size_t rows, bool existence, MemoryBudget* budget) {
  const Buffer findable_rows = findable(keys, finds_nulls, rows, budget);
  const auto* valid = findable_rows ? findable_rows.as<uint64_t>() : nullptr;
  const bool null_is_key = std::find(finds_nulls.begin(), finds_nulls.end(), true) != finds_nulls.end();
  const std::vector<Type> types = types_of(keys);
  if (null_is_key || !Words::fit(types))
    return std::make_unique<ByteLookup>(std::move(keys), null_is_key, rows, valid, existence, budget);
  const KeyColumn column = words_of(Words(types), keys, rows, valid, budget);
  const auto* words = column.words.as<uint64_t>();
  const auto least = static_cast<uint64_t>(column.least);
  const uint64_t size = static_cast<uint64_t>(column.greatest) - least + 1;
  const std::optional<KeyRange> range = range_of(column, types[0]);
  if (column.integers && column.least <= column.greatest && size != 0 && Numbers::fit(size, rows)) {
    const Numbers numbers{words, rows, valid, least, size};
    if (existence) return std::make_unique<BitmapLookup>(numbers, range, budget);
    return std::make_unique<DirectLookup>(numbers, range, budget);
  }
  if (size - 1 <= UINT32_MAX)
    return std::make_unique<WordLookup<uint32_t>>(types, words, rows, valid, column.least, range, existence,
                                                  budget);
  return std::make_unique<WordLookup<uint64_t>>(types, words, rows, valid, 0, range, existence, budget);
}

}  // namespace lanewise::ops
