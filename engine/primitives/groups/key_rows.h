#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "data/type.h"
#include "primitives/groups/key_words.h"

namespace lanewise {

/// Rows of several keys as bytes, so that rows are equal if their bytes are: a mask of the NULLs, the
/// words of numbers and the lengths of strings (0 if NULL), then the strings' bytes.
class KeyRows {
 public:
  explicit KeyRows(const std::vector<Type>& types);

  /// Keys of some rows as bytes.
  struct Encoded {
    const uint8_t** bytes;
    uint64_t* sizes;
  };
  /// Rows rows[0..count), or 0..count if `rows` is null; the result lives in `arena`.
  Encoded encode(std::span<const KeyWords> keys, const uint32_t* rows, size_t count, Arena& arena) const;

  bool is_null(const uint8_t* row, size_t key) const { return word_at(row, key / 64) >> (key % 64) & 1; }
  /// The words of a number that is not NULL.
  void words(const uint8_t* row, size_t key, uint64_t* words) const {
    for (int i = 0; i < widths_[key]; ++i) words[i] = word_at(row, at_[key] + static_cast<size_t>(i));
  }
  std::string_view text(const uint8_t* row, size_t key) const {
    size_t offset = head_ * 8;
    for (size_t before = 0; before < key; ++before) {
      if (widths_[before] == 0) offset += word_at(row, at_[before]);
    }
    return {reinterpret_cast<const char*>(row) + offset, word_at(row, at_[key])};
  }

 private:
  static uint64_t word_at(const uint8_t* row, size_t index) {
    uint64_t word;
    std::memcpy(&word, row + index * 8, 8);
    return word;
  }

  std::vector<int> widths_;
  std::vector<size_t> at_;  // by key: index of its first word; strings: of the length
  size_t mask_words_;
  size_t head_;  // words that precede the strings
};

}  // namespace lanewise
