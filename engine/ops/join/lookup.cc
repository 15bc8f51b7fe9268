#include "ops/join/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/size.h"
#include "data/physical_value.h"
#include "data/visit_width.h"
#include "ops/join/key_slices.h"
#include "ops/join/number_lookups.h"
#include "ops/join/packed_lookup.h"
#include "ops/join/run_table.h"
#include "ops/take.h"
#include "primitives/groups/key_rows.h"

namespace lanewise::ops {

namespace {

std::vector<Type> types_of(const std::vector<ColumnPtr>& columns) {
  std::vector<Type> types;
  for (const ColumnPtr& column : columns) types.push_back(column->type);
  return types;
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

/// Keys of one word. As uint32_t, they are stored as differences from the minimum, if these are small enough.
template <class Word>
class WordLookup : public Lookup {
 public:
  WordLookup(const uint64_t* words, size_t rows, const uint64_t* valid, int64_t least,
             std::optional<KeyRange> range, bool existence, const LookupChoice& choice, MemoryBudget* budget)
      : Lookup(choice), least_(kNarrow ? static_cast<uint64_t>(least) : 0) {
    range_ = std::move(range);
    if constexpr (kNarrow) {
      Buffer narrow = Buffer::allocate(rows * sizeof(Word), budget, kJoin);
      auto* to = narrow.mutable_as<Word>();
      parallel_for((rows + kSliceRows - 1) / kSliceRows, [&](size_t i) {
        for (size_t row = i * kSliceRows; row < std::min(rows, (i + 1) * kSliceRows); ++row)
          to[row] = static_cast<Word>(words[row] - least_);
      });
      order_ = table_.fill(to, rows, valid, existence, budget, ExactWords());
    } else {
      order_ = table_.fill(words, rows, valid, existence, budget, ExactWords());
    }
  }

  void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const override {
    find_starts(keys[0], rows, [&](uint32_t row, uint32_t start) {
      runs.first[row] = start;
      runs.count[row] = table_.count(start);
    });
  }
  void find_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* matches) const override {
    if (rows.all() && (!kNarrow || is_narrow(keys[0]))) {
      const auto* const words = words_of_all(keys[0], rows);
      table_.find(words, rows.rows(), matches, ExactWords(), scratch_for(rows.rows(), rows.arena()));
      return;
    }
    find_starts(keys[0], rows, [&](uint32_t row, uint32_t start) { matches[row] = start; });
  }
  void hold(const Column& column) override {
    if (table_.bytes() < kLeastHeldBytes) return;
    visit_width(width(column.type.physical()), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (sizeof(T) <= sizeof(uint32_t)) {
        const auto* const from = column.values.as<T>();
        const auto value_of = [from](size_t row) {
          uint32_t value = 0;
          std::memcpy(&value, &from[row], sizeof(T));
          return value;
        };
        const auto rows = static_cast<size_t>(column.rows);
        std::atomic<bool> possible{true};
        parallel_for((rows + kSliceRows - 1) / kSliceRows, [&](size_t i) {
          bool like_none = false;
          for (size_t row = i * kSliceRows; row < std::min(rows, (i + 1) * kSliceRows); ++row)
            like_none |= value_of(row) == kNoRow;
          if (like_none) possible = false;
        });
        if (!possible) return;
        table_.replace_rows(value_of);
        holds_values_ = true;
      }
    });
  }
  std::string name() const override {
    return fmt::format("hash table of {} slots, {}-bit keys{}", table_.slots(), kNarrow ? 32 : 64,
                       holds_values_ ? " and values" : "");
  }
  size_t bytes() const override { return table_.bytes(); }

 private:
  static constexpr bool kNarrow = sizeof(Word) == sizeof(uint32_t);
  static constexpr size_t kLeastHeldBytes = size_t{1} << 21;  // smaller tables leave a core's cache room

  static uint32_t* scratch_for(size_t count, Arena& arena) { return arena.allocate<uint32_t>(2 * count); }
  /// Whether each key is a word: its difference from the least one, modulo 2^32.
  static bool is_narrow(const Vector& key) {
    const Physical physical = key.type.physical();
    return key.form == Vector::Form::kValues && !key.constant &&
           (physical == Physical::kInt32 || physical == Physical::kUInt32);
  }
  const Word* words_of_all(const Vector& key, const ActiveSet& rows) const {
    const size_t count = rows.rows();
    if constexpr (kNarrow) {
      auto* const words = rows.arena().allocate<Word>(count);
      const auto* const values = key.as<uint32_t>();
      for (size_t row = 0; row < count; ++row) words[row] = values[row] - static_cast<uint32_t>(least_);
      return words;
    } else {
      return key_words(key, rows).words;
    }
  }
  /// Calls f(row, start of its run or RunTable::kNone) for the active rows.
  template <class F>
  void find_starts(const Vector& key, const ActiveSet& rows, F f) const {
    Arena& arena = rows.arena();
    const KeyWords words = key_words(key, rows);
    const std::span<const uint32_t> list = rows.list();
    auto* const wanted = arena.allocate<Word>(list.size());
    for (size_t i = 0; i < list.size(); ++i) wanted[i] = static_cast<Word>(words.words[list[i]] - least_);
    auto* const starts = arena.allocate<uint32_t>(list.size());
    table_.find(wanted, list.size(), starts, ExactWords(), scratch_for(list.size(), arena));
    for (size_t i = 0; i < list.size(); ++i) {
      const bool is_word = !kNarrow || (words.words[list[i]] - least_) >> 32 == 0;
      f(list[i], is_word ? starts[i] : RunTable<Word>::kNone);
    }
  }

  uint64_t least_;
  RunTable<Word> table_;
};

/// Keys of any type, as bytes.
class ByteLookup : public Lookup {
 public:
  ByteLookup(std::vector<ColumnPtr> keys, bool null_is_key, size_t rows, const uint64_t* valid,
             bool existence, const LookupChoice& choice, MemoryBudget* budget)
      : Lookup(choice),
        keys_(std::move(keys)),
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
    auto* const starts = arena.allocate<uint32_t>(list.size());
    table_.find(hashes, list.size(), starts, equal, arena.allocate<uint32_t>(2 * list.size()));
    for (size_t i = 0; i < list.size(); ++i) {
      runs.first[list[i]] = starts[i];
      runs.count[list[i]] = table_.count(starts[i]);
    }
  }
  std::string name() const override {
    return fmt::format("hash table of {} slots, keys as bytes", table_.slots());
  }
  size_t bytes() const override { return table_.bytes() + bytes_.size(); }

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

/// The key of all rows as words, and the bounds of those that can be found.
struct KeyColumn {
  Buffer words;
  WordBounds bounds;
  bool integers = true;
};

KeyColumn key_column(const std::vector<ColumnPtr>& key, size_t rows, const uint64_t* valid,
                     MemoryBudget* budget) {
  KeyColumn column;
  const Physical physical = key[0]->type.physical();
  const bool are_words =
      key[0]->dictionary == nullptr && (physical == Physical::kInt64 || physical == Physical::kUInt64);
  column.words = are_words ? key[0]->values : Buffer::allocate(rows * sizeof(uint64_t), budget, kJoin);
  std::mutex mutex;
  for_slices(key, rows, budget,
             [&](size_t first, std::span<const KeyWords> words, const ActiveSet& slice, Arena&) {
               if (!are_words)
                 std::copy_n(words[0].words, slice.rows(), column.words.mutable_as<uint64_t>() + first);
               const WordBounds bounds = bounds_of(words[0], first, slice.rows(), valid);
               const std::lock_guard lock(mutex);
               column.bounds.add(bounds);
               column.integers &= words[0].integer;
             });
  return column;
}

/// The words as values of the type, if they are its integers.
std::optional<KeyRange> range_of(const KeyColumn& column, Type type) {
  if (!column.integers || column.bounds.empty()) return std::nullopt;
  return visit(type.physical(), [&](auto zero) -> std::optional<KeyRange> {
    using T = decltype(zero);
    // Words are compared as signed numbers, which UBIGINT's are not.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, uint64_t>) {
      return KeyRange{to_value(type, static_cast<T>(column.bounds.least)),
                      to_value(type, static_cast<T>(column.bounds.greatest))};
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace

std::unique_ptr<Lookup> make_lookup(std::vector<ColumnPtr> keys, const std::vector<bool>& finds_nulls,
                                    size_t rows, bool existence, LookupForm forced, MemoryBudget* budget) {
  const Buffer findable_rows = findable(keys, finds_nulls, rows, budget);
  const auto* valid = findable_rows ? findable_rows.as<uint64_t>() : nullptr;
  const bool null_is_key = std::find(finds_nulls.begin(), finds_nulls.end(), true) != finds_nulls.end();
  const bool is_one = keys.size() == 1 && !null_is_key;
  const auto by_bytes = [&](const KeyFacts& facts) {
    return std::make_unique<ByteLookup>(std::move(keys), null_is_key, rows, valid, existence,
                                        choose_lookup(facts, forced), budget);
  };
  KeyFacts facts = {.rows = rows, .existence = existence};
  if (forced == LookupForm::bytes) return by_bytes(facts);
  if (!is_one || key_width(keys[0]->type) != 1) {
    auto packed = pack_keys(keys, finds_nulls, rows, findable_rows, budget);
    if (packed) return lookup_of_packed(std::move(*packed), rows, existence, forced, budget);
    facts.are_words = false;
    return by_bytes(facts);
  }
  const Type type = keys[0]->type;
  const KeyColumn column = key_column(keys, rows, valid, budget);
  const auto* words = column.words.as<uint64_t>();
  const auto least = static_cast<uint64_t>(column.bounds.least);
  const uint64_t span = static_cast<uint64_t>(column.bounds.greatest) - least;
  const std::optional<KeyRange> range = range_of(column, type);
  facts.are_integers = column.integers;
  if (!column.bounds.empty()) facts.span = span;
  const LookupChoice choice = choose_lookup(facts, forced);
  if (choice.form != LookupForm::hash)
    return lookup_by_number({words, rows, valid, least, span + 1}, range, existence, choice, budget);
  if (span <= UINT32_MAX)
    return std::make_unique<WordLookup<uint32_t>>(words, rows, valid, column.bounds.least, range, existence,
                                                  choice, budget);
  return std::make_unique<WordLookup<uint64_t>>(words, rows, valid, 0, range, existence, choice, budget);
}

void Lookup::find_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* matches) const {
  const Runs runs{rows.arena().allocate<uint32_t>(rows.rows()), rows.arena().allocate<uint32_t>(rows.rows())};
  find(keys, rows, runs);
  rows.for_each([&](uint32_t row) { matches[row] = runs.count[row] == 0 ? kNoRow : runs.first[row]; });
}

std::string Lookup::describe() const {
  return fmt::format("{}, {}: {}", name(), format_size(bytes() + order_.size()), choice_.reason.text());
}

}  // namespace lanewise::ops
