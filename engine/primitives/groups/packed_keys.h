#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/type.h"
#include "primitives/groups/key_words.h"

namespace lanewise {

/// Several narrow keys as one or two words, if their bits fit: equal rows without NULL have equal words.
class PackedKeys {
 public:
  /// The number of words for rows of these types: 1 or 2 for integers, dates, times and booleans that are
  /// narrow enough, else 0.
  static int words(std::span<const Type> types);

  /// The types must fit.
  explicit PackedKeys(std::span<const Type> types);

  /// to[row] = word `word` of each of `rows` rows.
  void pack(std::span<const KeyWords> keys, size_t rows, int word, uint64_t* to) const;
  /// The word that contains a key.
  int word_of(size_t key) const { return words_[key]; }
  /// A key's value in the lowest bits; the bits above are unspecified.
  uint64_t value(uint64_t word, size_t key) const { return word >> shifts_[key]; }

 private:
  std::vector<int> words_, shifts_, bits_;  // by key
};

}  // namespace lanewise
