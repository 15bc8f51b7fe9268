#pragma once

#include <cstdint>
#include <span>
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

  bool is_null(const uint8_t* row, size_t key) const;
  /// The words of a number that is not NULL.
  void words(const uint8_t* row, size_t key, uint64_t* words) const;
  std::string_view text(const uint8_t* row, size_t key) const;

 private:
  uint64_t word_at(const uint8_t* row, size_t index) const;

  std::vector<int> widths_;
  std::vector<size_t> at_;  // by key: index of its first word; strings: of the length
  size_t mask_words_;
  size_t head_;  // words that precede the strings
};

}  // namespace lanewise
