#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/aggregate/accumulators/accumulator.h"
#include "ops/aggregate/accumulators/kept_text.h"
#include "ops/aggregate/accumulators/states.h"
#include "primitives/sort/sort_keys.h"

namespace lanewise::ops {

/// The sort keys of one chunk's rows as words: one key of at most 8 bytes without NULLs.
class WordRanks {
 public:
  WordRanks(std::vector<Type> types, std::vector<SortDirection> directions, MemoryBudget* budget)
      : type_(types[0]), descending_(directions[0].descending), kept_(budget) {}

  void resize(uint32_t groups) { kept_.resize(groups); }
  void read(std::span<const Vector> keys, const ActiveSet& rows) { words_ = key_words(keys[0], rows).words; }
  /// Negative, 0 or positive: compares row number `i` of the last read() with the row kept for `group`.
  int compare(size_t, uint32_t row, uint32_t group) const {
    const uint64_t word = rank(row);
    return word < kept_[group] ? -1 : word > kept_[group];
  }
  void keep(size_t, uint32_t row, uint32_t group) { kept_[group] = rank(row); }
  int compare(const WordRanks& other, uint32_t theirs, uint32_t group) const {
    return other.kept_[theirs] < kept_[group] ? -1 : other.kept_[theirs] > kept_[group];
  }
  void keep(const WordRanks& other, uint32_t theirs, uint32_t group) { kept_[group] = other.kept_[theirs]; }

 private:
  uint64_t rank(uint32_t row) const {
    const uint64_t word = order_word(type_, words_[row]);
    return descending_ ? ~word : word;
  }

  Type type_;
  bool descending_;
  const uint64_t* words_ = nullptr;
  States<uint64_t> kept_;
};

/// The same for any keys, as byte strings; without keys all rows are equal.
class ByteRanks {
 public:
  ByteRanks(std::vector<Type> types, std::vector<SortDirection> directions, MemoryBudget* budget)
      : empty_(types.empty()), keys_(std::move(types), std::move(directions)), kept_(budget) {}

  void resize(uint32_t groups) {
    if (!empty_) kept_.resize(groups);
  }
  void read(std::span<const Vector> keys, const ActiveSet& rows) {
    if (empty_) return;
    std::vector<KeyWords> words;
    for (const Vector& key : keys) words.push_back(key_words(key, rows));
    ranks_ = rows.arena().allocate<std::string_view>(rows.count());
    keys_.encode(words, rows.list(), rows.arena(), ranks_);
  }
  int compare(size_t i, uint32_t, uint32_t group) const {
    return empty_ ? 0 : ranks_[i].compare(kept_[group]);
  }
  void keep(size_t i, uint32_t, uint32_t group) {
    if (!empty_) kept_.put(group, ranks_[i]);
  }
  int compare(const ByteRanks& other, uint32_t theirs, uint32_t group) const {
    return empty_ ? 0 : other.kept_[theirs].compare(kept_[group]);
  }
  void keep(const ByteRanks& other, uint32_t theirs, uint32_t group) {
    if (!empty_) kept_.put(group, other.kept_[theirs]);
  }

 private:
  bool empty_;
  SortKeys keys_;
  std::string_view* ranks_ = nullptr;
  KeptText kept_;
};

}  // namespace lanewise::ops
